#include "core/kernels/matmul.h"

#include "core/base/threads.h"
#include "core/kernels/private/reduce.h"

#include <assert.h>
#include <cblas.h>
#include <limits.h>
#include <string.h>

#ifdef HL_DOUBLE
#define gemm cblas_dgemm
#else
#define gemm cblas_sgemm
#endif

/* Where OpenBLAS gives bit-identical rows; see the header. */
static const int64_t SAFE_WORK = 1000000;

void hl_matmul_serial(int64_t M, int64_t N, int64_t K, hl_matrix A, hl_matrix B, hl_real beta, hl_real *C,
                      int64_t c_stride)
{
    assert(M <= INT_MAX && N <= INT_MAX && K <= INT_MAX); /* a tape refuses larger tensors */
    if (M == 0 || N == 0) {
        return;
    }
    if (K == 0) { /* cblas would refuse a stride of 0 */
        for (int64_t m = 0; m < M && beta == 0; m++) {
            memset(C + m * c_stride, 0, (size_t)N * sizeof *C);
        }
        return;
    }
    gemm(CblasRowMajor, A.transposed ? CblasTrans : CblasNoTrans, B.transposed ? CblasTrans : CblasNoTrans, (int)M,
         (int)N, (int)K, 1, A.data, (int)A.stride, B.data, (int)B.stride, beta, C, (int)c_stride);
}

/* Each piece has more than SAFE_WORK, including the short last one. */
int hl_matmul_pieces(int most, int64_t M, int64_t N, int64_t K)
{
    for (int blocks = most; blocks > 1; blocks--) {
        bool safe = true;
        for (int block = 0; block < blocks && safe; block++) {
            int64_t begin, end;
            hl_threads_cut(M, HL_MATMUL_STEP, block, blocks, &begin, &end);
            safe = (double)(end - begin) * (double)N * (double)K > (double)SAFE_WORK;
        }
        if (safe) {
            return blocks;
        }
    }
    return 1;
}

typedef struct product {
    int64_t N, K;
    hl_matrix A, B;
    hl_real beta, *C;
    int64_t c_stride;
} product;

static void multiply_rows(const void *context, hl_range rows)
{
    const product *p = context;
    hl_matrix A = p->A;
    A.data += rows.begin * (A.transposed ? 1 : A.stride);
    hl_matmul_serial(rows.end - rows.begin, p->N, p->K, A, p->B, p->beta, p->C + rows.begin * p->c_stride, p->c_stride);
}

void hl_matmul_into(int threads, int64_t M, int64_t N, int64_t K, hl_matrix A, hl_matrix B, hl_real beta, hl_real *C,
                    int64_t c_stride)
{
    hl_threads_run(hl_matmul_pieces(threads, M, N, K), M, HL_MATMUL_STEP, multiply_rows,
                   &(product){ .N = N, .K = K, .A = A, .B = B, .beta = beta, .C = C, .c_stride = c_stride });
}

/* A gradient of at least CUT_BY_OUTPUT numbers is cut by its own rows. A smaller one is cut by the rows over which it
 * is summed. */
enum { CUT_BY_OUTPUT = 128 * 128 + 1, MIN_BLOCK_ROWS = 256, MAX_BLOCKS = 16 };

static int row_blocks(int64_t M, int64_t N, int64_t K)
{
    int64_t blocks = K / MIN_BLOCK_ROWS;
    if (M * N >= CUT_BY_OUTPUT || blocks < 2) {
        return 1;
    }
    return blocks > MAX_BLOCKS ? MAX_BLOCKS : (int)blocks;
}

int64_t hl_matmul_rows_scratch(int64_t M, int64_t N, int64_t K)
{
    int blocks = row_blocks(M, N, K);
    return blocks > 1 ? blocks * M * N : 0;
}

typedef struct blocks_work {
    int64_t M, N, K;
    const hl_real *A, *B;
    int n_blocks;
    hl_real *products;
} blocks_work;

static void multiply_blocks(const void *context, hl_range blocks)
{
    const blocks_work *w = context;
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        int64_t begin, end;
        hl_threads_cut(w->K, 1, (int)block, w->n_blocks, &begin, &end);
        hl_matmul_serial(w->M, w->N, end - begin, (hl_matrix){ w->A + begin * w->M, w->M, true },
                         (hl_matrix){ w->B + begin * w->N, w->N, false }, 0, w->products + block * w->M * w->N, w->N);
    }
}

void hl_matmul_rows_into(int threads, int64_t M, int64_t N, int64_t K, const hl_real *A, const hl_real *B, hl_real beta,
                         hl_real *C, hl_real *scratch)
{
    int blocks = row_blocks(M, N, K);
    if (blocks == 1) {
        hl_matmul_into(threads, M, N, K, (hl_matrix){ A, M, true }, (hl_matrix){ B, N, false }, beta, C, N);
        return;
    }
    int64_t size = M * N;
    hl_threads_run(hl_threads_for(threads, K * size / 32), blocks, 1, multiply_blocks,
                   &(blocks_work){ .M = M, .N = N, .K = K, .A = A, .B = B, .n_blocks = blocks, .products = scratch });
    hl_sum_partials(threads, blocks, size, scratch, beta != 0, C);
}

const char *hl_matmul_library_warning(void)
{
    enum { SERIAL_BUILD = 0, OPENMP_BUILD = 2 };
    switch (openblas_get_parallel()) {
    case OPENMP_BUILD:
        return NULL;
    case SERIAL_BUILD: /* its list of buffers has no lock (0.3.21) */
        return "this OpenBLAS is its serial build: slower, and wrong on more than one thread, so use train.threads=1 "
               "or the OpenMP build (Debian: libopenblas0-openmp)";
    default:
        return "this OpenBLAS is not its OpenMP build: slower, and results may depend on the number of threads "
               "(Debian: libopenblas0-openmp)";
    }
}
