/* The tiny models of tests/pretrained/tiny, in a table: every test of all models takes them from here. */
#ifndef HL_TESTS_PRETRAINED_TINY_MODELS_H
#define HL_TESTS_PRETRAINED_TINY_MODELS_H

#include "pretrained/classifier.h"

static const struct {
    const char *name, *class_name, *kind;
    hl_pretrained_head head;
    int64_t n_labels;
    hl_pretrained_problem problem;
    const char *drawn, *unused; /* parameters that the folder has not, and tensors that the model has not */
    int64_t n_kept;             /* tensors that the model does not use, and that are written all the same */
} tiny_models[] = {
    { .name = "bert_masked", .class_name = "BertForMaskedLM", .kind = "bert", .head = HL_PRETRAINED_MASKED },
    { .name = "bert_classes",
      .class_name = "BertForSequenceClassification",
      .kind = "bert",
      .head = HL_PRETRAINED_CLASSES,
      .n_labels = 3 },
    { .name = "bert_untied",
      .class_name = "BertForMaskedLM",
      .kind = "bert",
      .head = HL_PRETRAINED_MASKED,
      .unused = "cls.predictions.bias" },
    { .name = "bert_bare",
      .class_name = "BertModel",
      .kind = "bert",
      .unused = "pooler.dense.bias, pooler.dense.weight",
      .n_kept = 2 },
    { .name = "distilbert_masked",
      .class_name = "DistilBertForMaskedLM",
      .kind = "distilbert",
      .head = HL_PRETRAINED_MASKED },
    { .name = "distilbert_classes",
      .class_name = "DistilBertForSequenceClassification",
      .kind = "distilbert",
      .head = HL_PRETRAINED_CLASSES,
      .n_labels = 3 },
    { .name = "electra_generator",
      .class_name = "ElectraForMaskedLM",
      .kind = "electra",
      .head = HL_PRETRAINED_MASKED },
    { .name = "electra_discriminator",
      .class_name = "ElectraForPreTraining",
      .kind = "electra",
      .unused = "discriminator_predictions.dense.bias, discriminator_predictions.dense.weight, "
                "discriminator_predictions.dense_prediction.bias, discriminator_predictions.dense_prediction.weight",
      .n_kept = 4 },
    { .name = "electra_tags",
      .class_name = "ElectraForTokenClassification",
      .kind = "electra",
      .head = HL_PRETRAINED_TAGS,
      .n_labels = 3 },
    { .name = "roberta_masked", .class_name = "RobertaForMaskedLM", .kind = "roberta", .head = HL_PRETRAINED_MASKED },
    { .name = "roberta_classes",
      .class_name = "RobertaForSequenceClassification",
      .kind = "roberta",
      .head = HL_PRETRAINED_CLASSES,
      .n_labels = 3 },
    { .name = "gpt2_next", .class_name = "GPT2LMHeadModel", .kind = "gpt2", .head = HL_PRETRAINED_NEXT },
    { .name = "bert_labels",
      .class_name = "BertForSequenceClassification",
      .kind = "bert",
      .head = HL_PRETRAINED_CLASSES,
      .n_labels = 3,
      .problem = HL_PROBLEM_LABELS,
      .n_kept = 4 },
    { .name = "distilbert_number",
      .class_name = "DistilBertForSequenceClassification",
      .kind = "distilbert",
      .head = HL_PRETRAINED_CLASSES,
      .n_labels = 1,
      .problem = HL_PROBLEM_NUMBERS,
      .n_kept = 4 },
    { .name = "gpt2_scaled", .class_name = "GPT2LMHeadModel", .kind = "gpt2", .head = HL_PRETRAINED_NEXT },
    { .name = "gpt2_classes",
      .class_name = "GPT2ForSequenceClassification",
      .kind = "gpt2",
      .head = HL_PRETRAINED_CLASSES,
      .n_labels = 3,
      .drawn = "output.bias" },
    { .name = "gpt2_untied",
      .class_name = "GPT2LMHeadModel",
      .kind = "gpt2",
      .head = HL_PRETRAINED_NEXT,
      .drawn = "output.bias" },
};
enum { TINY_MODELS = sizeof tiny_models / sizeof tiny_models[0] };

#endif
