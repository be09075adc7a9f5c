import type {
  GenerateImageBlock,
  GenerateSpeechBlock,
  SpeechFormat,
  TranscribeAudioBlock,
} from "../program.ts";
import { defaulted, deprecated, optional, required } from "../readers/fields.ts";
import { mediaModelId } from "../readers/model-readers.ts";
import { variableOf } from "../readers/name-readers.ts";
import { outputOf } from "../readers/output-readers.ts";
import { defined, listOf, type Reader, reader } from "../readers/readers.ts";
import { flag, matching, nonEmptyText, number, oneOf } from "../readers/value-readers.ts";
import { checkMediaModel } from "./block-checks.ts";
import { blockKind } from "./block-kind.ts";

const text = variableOf("string");
const fileOrUrl = variableOf("file", "string");
const filesOrUrls = variableOf("file", "file[]", "string", "string[]");
const savedFile = optional(
  outputOf("file", "string"),
  "The variable that receives the file, or its URL if the variable is a string.",
);

const ratioOfSize = { "1024x1024": "1:1", "1792x1024": "16:9", "1024x1792": "9:16" } as const;

export const generateImage = blockKind({
  doc: "Generates an image.",
  display: "description",
  threadUse: "none",
  fields: {
    prompt: required(text, "The variable that contains the description of the image."),
    imageModel: optional(
      mediaModelId,
      "The image model, provider/model-id. Default: the thread's imageModel.",
    ),
    aspectRatio: optional(
      matching(/^[1-9]\d?:[1-9]\d?$/, "a ratio such as 16:9"),
      "Width to height, such as 16:9. Default: the model decides.",
    ),
    resolution: optional(
      oneOf<NonNullable<GenerateImageBlock["resolution"]>>("1K", "2K", "4K"),
      "The size of the longer side, in about a thousand pixels. Default: the model decides.",
    ),
    size: deprecated(
      optional(
        oneOf("1024x1024", "1792x1024", "1024x1792"),
        "The ratio of this size, unless aspectRatio is set.",
      ),
      "use aspectRatio and resolution",
    ),
    referenceImages: defaulted(
      listOf(filesOrUrls, "variables"),
      [],
      "Variables that contain reference images: files or their URLs, one or a list.",
    ),
    output: savedFile,
  },
  check: checkMediaModel("imageModel"),
  build: ({ size, aspectRatio = size && ratioOfSize[size], ...values }) =>
    defined({ kind: "generate-image" as const, ...values, aspectRatio }),
});

export const generateSpeech = blockKind({
  doc: "Speaks a text.",
  display: "description",
  threadUse: "none",
  fields: {
    text: required(text, "The variable that contains the text."),
    speechModel: optional(
      mediaModelId,
      "The speech model, provider/model-id. Default: the thread's speechModel.",
    ),
    voice: optional(nonEmptyText, "The voice. Default: the thread's speechVoice, or the model's own."),
    format: defaulted<GenerateSpeechBlock["format"]>(
      oneOf<SpeechFormat>("mp3", "wav", "opus", "aac", "flac", "pcm"),
      "mp3",
      "The format of the file.",
    ),
    instructions: optional(nonEmptyText, "How to speak, in words, such as: slowly, like a newsreader."),
    language: optional(nonEmptyText, "The language to speak, such as en. Default: that of the text."),
    speed: optional(number(0.25, 4), "How fast to speak, from 0.25 to 4. Default: the model's speed."),
    output: savedFile,
  },
  check: checkMediaModel("speechModel"),
  build: (values) => defined({ kind: "generate-speech" as const, ...values }),
});

const precision = oneOf("none", "segment", "word");
const timestamps: Reader<TranscribeAudioBlock["timestamps"] & string> = reader(
  { kind: "anyOf", shapes: [flag.shape, precision.shape] },
  (node, context) => {
    const isFlag = node.kind === "scalar" && typeof node.value === "boolean";
    if (!isFlag) return precision.read(node, context);
    return node.value === true ? "segment" : "none";
  },
);

export const transcribeAudio = blockKind({
  doc: "Transcribes a recording.",
  display: "description",
  threadUse: "none",
  fields: {
    audio: required(fileOrUrl, "The variable that contains the recording: a file or its URL."),
    transcriptionModel: optional(
      mediaModelId,
      "The transcription model, provider/model-id. Default: the thread's transcriptionModel.",
    ),
    language: optional(nonEmptyText, "The language, such as en. Default: the model detects it."),
    timestamps: optional(
      timestamps,
      "Whether the text gives the time at which each segment or word begins: none, segment (also true) or word.",
    ),
    output: optional(outputOf("string"), "The variable that receives the text."),
  },
  check: checkMediaModel("transcriptionModel"),
  build: (values) => defined({ kind: "transcribe-audio" as const, ...values }),
});
