//! Checks of what is sent beside text: that it is what it is said to be, of a kind that the vendor takes, and not too large. By the
//! vendors' pages on vision, audio and files, and errors seen in the wild, November 2026.

use super::{invalid, refuse_if};
use crate::model::{
    failure::Failure,
    media::{self, Found, MediaKind, looks_like},
    request::{Request, Shape},
};

/// Pictures that OpenAI and Anthropic take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Kinds that Gemini takes.
const GEMINI: [&str; 17] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "audio/wav",
    "audio/mp3",
    "audio/mpeg",
    "audio/m4a",
    "audio/mp4",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/opus",
    "audio/flac",
    "audio/webm",
    "application/pdf",
];

/// The most that Anthropic takes of one picture, in base64.
const ANTHROPIC: usize = 5_242_880;

/// Models of whichever vendor that read text and nothing else, by parts of their names.
const BLIND: [&str; 8] =
    ["gpt-3.5", "o3-mini", "gpt-oss", "deepseek-v4-pro", "glm-5.2", "MiniMax-M2", "qwen3:", "llama3.1"];

pub(super) fn check(request: &Request) -> Result<(), Failure> {
    for found in media::found(request.shape, &request.body) {
        refuse_if(BLIND.iter().any(|name| request.model().contains(name)), || blind(request))?;
        match request.shape {
            Shape::Chat | Shape::Responses => openai(request, &found)?,
            Shape::Anthropic => anthropic(&found)?,
            Shape::Gemini => gemini(&found)?,
            Shape::Ollama => ollama(&found)?,
        }
    }
    Ok(())
}

/// What servers say to pictures for a model that does not see.
fn blind(request: &Request) -> Failure {
    match request.shape {
        Shape::Chat if request.model().contains('/') => {
            Failure::words(404, "No endpoints found that support image input")
        }
        Shape::Chat => invalid(
            "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`",
        ),
        Shape::Responses => invalid("Invalid value: 'input_image'. Supported values are: 'input_text'."),
        Shape::Anthropic => invalid("This model does not support image input."),
        Shape::Gemini => invalid("Image input modality is not enabled for this model"),
        Shape::Ollama => Failure::words(500, "this model is missing data required for image input"),
    }
}

fn openai(request: &Request, found: &Found) -> Result<(), Failure> {
    let place = format!("messages.{}", found.place);
    refuse_if(found.role != "user", || {
        invalid(format!("Invalid '{place}'. Only messages with role 'user' can contain it.")).param(&place)
    })?;
    let bytes = found.bytes().filter(|bytes| !bytes.is_empty()).ok_or_else(|| {
        invalid(format!("Invalid '{place}'. Expected a base64-encoded data URL.")).code("invalid_base64")
    })?;
    match found.kind {
        MediaKind::Image => {
            refuse_if(!PICTURES.contains(&found.mime.as_str()) || looks_like(&bytes) != found.mime, || {
                invalid(
                    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', \
                     'gif', 'webp'].",
                )
                .code("invalid_image_format")
            })
        }
        MediaKind::Document => {
            refuse_if(found.name.as_deref().unwrap_or_default().is_empty(), || {
                invalid("Missing required parameter: 'filename'.").code("missing_required_parameter")
            })?;
            refuse_if(found.mime != "application/pdf" || looks_like(&bytes) != found.mime, || {
                let words = format!("Invalid file data: '{place}'. Expected a valid application/pdf file.");
                invalid(words).code("invalid_value")
            })
        }
        // OpenRouter takes more than OpenAI.
        MediaKind::Audio => refuse_if(
            !request.model().contains('/') && !matches!(found.mime.as_str(), "audio/mpeg" | "audio/wav"),
            || {
                invalid(format!("Invalid value: '{}'. Supported values are: 'wav' and 'mp3'.", found.mime))
                    .param(&place)
            },
        ),
    }
}

fn anthropic(found: &Found) -> Result<(), Failure> {
    let place = format!("messages.{}", found.place);
    refuse_if(found.role != "user", || invalid(format!("{place}: unexpected in an assistant message")))?;
    let known = match found.kind {
        MediaKind::Document => found.mime == "application/pdf",
        MediaKind::Image | MediaKind::Audio => PICTURES.contains(&found.mime.as_str()),
    };
    refuse_if(!known, || {
        invalid(format!(
            "{place}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
        ))
    })?;
    let size = found.data.len();
    refuse_if(found.kind == MediaKind::Image && size > ANTHROPIC, || {
        invalid(format!("{place}: image exceeds 5 MB maximum: {size} bytes > {ANTHROPIC} bytes"))
    })?;
    let bytes = found.bytes().ok_or_else(|| invalid(format!("{place}.data: Invalid base64 data")))?;
    match (found.kind, looks_like(&bytes)) {
        (MediaKind::Document, seen) => refuse_if(seen != found.mime, || {
            invalid(format!("{place}.data: The PDF specified was not valid."))
        }),
        (MediaKind::Image | MediaKind::Audio, "") => Err(invalid("Could not process image")),
        (MediaKind::Image | MediaKind::Audio, seen) => refuse_if(seen != found.mime, || {
            invalid(format!(
                "{place}.data: The image was specified using the {} media type, but the image appears to be a {seen} image",
                found.mime
            ))
        }),
    }
}

fn gemini(found: &Found) -> Result<(), Failure> {
    refuse_if(!GEMINI.contains(&found.mime.as_str()), || {
        invalid(format!("Unsupported MIME type: {}", found.mime))
    })?;
    let bytes = found.bytes().ok_or_else(|| {
        invalid(
            "Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed",
        )
    })?;
    match found.kind {
        MediaKind::Image => refuse_if(
            !matches!(found.mime.as_str(), "image/heic" | "image/heif") && looks_like(&bytes) != found.mime,
            || {
                invalid(
                    "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
                )
            },
        ),
        MediaKind::Document => {
            refuse_if(looks_like(&bytes) != found.mime, || invalid("The document has no pages."))
        }
        MediaKind::Audio => Ok(()),
    }
}

fn ollama(found: &Found) -> Result<(), Failure> {
    let bytes = found.bytes().ok_or_else(|| invalid("illegal base64 data at input byte 0"))?;
    let known = matches!(looks_like(&bytes), "image/png" | "image/jpeg" | "image/webp");
    refuse_if(!known, || Failure::words(500, "Failed to load image or audio file"))
}
