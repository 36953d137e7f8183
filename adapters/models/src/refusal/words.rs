//! The words by which a no is known: codes and types as vendors give them, and phrases of their messages, in lower case.

/// Codes of an account that is used up.
pub(super) const NO_CREDIT: &[&str] = &[
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_balance",
    "billing_error",
    "exceeded_current_quota_error",
];
/// The same in messages.
pub(super) const NO_CREDIT_WORDS: &[&str] =
    &["credit balance is too low", "reached your specified api usage limits", "used all available credits"];
/// Codes of a limit that passes.
pub(super) const LIMITED: &[&str] = &["rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"];
/// Codes of a key that is not taken.
pub(super) const KEY: &[&str] = &["invalid_api_key", "authentication_error", "permission_error"];
/// Google's and xAI's, whose status for a bad key is that of any bad request.
pub(super) const KEY_WORDS: &[&str] =
    &["api key not valid", "api key not found", "api key expired", "incorrect api key"];
/// Codes of a conversation that is too long.
pub(super) const TOO_LONG: &[&str] =
    &["context_length_exceeded", "exceed_context_size_error", "request_too_large"];
/// The same in messages.
pub(super) const TOO_LONG_WORDS: &[&str] = &[
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "input token count",
    "exceed context limit",
    "maximum prompt length",
    "exceeds max length",
    "exceeded model token limit",
    "reduce the length of the messages",
];
/// Codes of something that was sent along and is not taken.
pub(super) const MEDIA: &[&str] = &[
    "image_parse_error",
    "invalid_image",
    "invalid_image_format",
    "invalid_image_mode",
    "image_too_large",
    "image_too_small",
    "empty_image_file",
    "unsupported_image_media_type",
    "image_file_too_large",
    "unsupported_file_type",
];
/// Anthropic's, OpenAI's, Google's, OpenRouter's, xAI's, Groq's and Ollama's, and those of servers with llama.cpp and vLLM
/// in them.
pub(super) const MEDIA_WORDS: &[&str] = &[
    "image.source",
    "document.source",
    "could not process image",
    "could not process pdf",
    "unable to process input image",
    "unsupported image",
    "invalid image",
    "invalid base64 image",
    "image data",
    "image exceeds",
    "support image",
    "image input",
    "image_url is only supported",
    "content type image_url",
    "variant `image_url`",
    "support audio",
    "audio input",
    "input_audio",
    "file input",
    "unsupported mime type",
    "payload size exceeds",
    "the document has no pages",
    "missing data required for image",
    "is not a multimodal model",
    "at most 0 image",
    "mmproj",
];
/// Codes of words that are against the rules.
pub(super) const CONTENT: &[&str] =
    &["content_policy_violation", "content_filter", "invalid_prompt", "data_inspection_failed"];
/// Groq's.
pub(super) const GARBLED: &[&str] = &["tool_use_failed", "output_parse_failed"];
