//! What a server's tool gave back, as text: its words, and of everything else what it is.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// How much of a result is kept; the engine cuts further.
const KEPT: usize = 256 * 1024;

/// A result in words; `Err` where the tool says that it failed.
pub(super) fn tell(result: CallToolResult) -> Result<String, String> {
    let failed = result.is_error == Some(true);
    let mut told = String::new();
    for part in result.content {
        if told.len() > KEPT {
            told.push_str("\n[There is more, which is left out.]");
            break;
        }
        if !told.is_empty() {
            told.push('\n');
        }
        told.push_str(&cut(part_of(part)));
    }
    if told.is_empty() {
        told = match result.structured_content {
            Some(value) if !value.is_null() => cut(value.to_string()),
            Some(_) | None => "[The tool gave back nothing.]".to_owned(),
        };
    }
    if failed { Err(told) } else { Ok(told) }
}

fn cut(text: String) -> String {
    match text.char_indices().find(|(end, _)| *end >= KEPT).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start}\n[{} bytes, of which the first are shown.]", text.len()),
        None => text,
    }
}

fn part_of(part: ContentBlock) -> String {
    match part {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => format!("[An image, {}, {}.]", image.mime_type, size(&image.data)),
        ContentBlock::Audio(audio) => format!("[A sound, {}, {}.]", audio.mime_type, size(&audio.data)),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("{uri}:\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let media = mime_type.map(|media| format!("{media}, ")).unwrap_or_default();
                format!("[A file {uri}, {media}{}.]", size(&blob))
            }
            _ => "[Something that is not known.]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[A link to {}: {}]", link.name, link.uri),
        _ => "[Something that is not known.]".to_owned(),
    }
}

/// How much stands behind base64.
fn size(base64: &str) -> String {
    let bytes = base64.trim_end_matches('=').len() / 4 * 3 + (base64.trim_end_matches('=').len() % 4) * 3 / 4;
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_in_words() {
        let check = |json: &str, expected: Result<&str, &str>| {
            let result: CallToolResult = serde_json::from_str(json).unwrap();
            assert_eq!(tell(result), expected.map(str::to_owned).map_err(str::to_owned), "{json}");
        };
        check(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#, Ok("a\nb"));
        check(r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#, Err("no"));
        check(r#"{"content":[]}"#, Ok("[The tool gave back nothing.]"));
        check(r#"{"content":[],"isError":true}"#, Err("[The tool gave back nothing.]"));
        check(r#"{"content":[],"structuredContent":{"n":1}}"#, Ok(r#"{"n":1}"#));
        check(r#"{"content":[{"type":"text","text":"t"}],"structuredContent":{"n":1}}"#, Ok("t"));
        check(
            r#"{"content":[{"type":"image","data":"AAAAAA==","mimeType":"image/png"},{"type":"audio","data":"AAA=","mimeType":"audio/ogg"}]}"#,
            Ok("[An image, image/png, 4 bytes.]\n[A sound, audio/ogg, 2 bytes.]"),
        );
        check(
            r#"{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"x"}},{"type":"resource","resource":{"uri":"file:///b","blob":"AAAA"}}]}"#,
            Ok("file:///a:\nx\n[A file file:///b, 3 bytes.]"),
        );
        check(
            r#"{"content":[{"type":"resource_link","uri":"https://e.org/x","name":"X"}]}"#,
            Ok("[A link to X: https://e.org/x]"),
        );
    }

    #[test]
    fn a_flood_is_cut() {
        let json = serde_json::json!({ "content": [{ "type": "text", "text": "é".repeat(5_000_000) }] });
        let told = tell(serde_json::from_value(json).unwrap()).unwrap();
        assert!(told.len() < KEPT + 100 && told.ends_with("[10000000 bytes, of which the first are shown.]"));
        let json = serde_json::json!({ "content": vec![serde_json::json!({ "type": "text", "text": "x".repeat(1000) }); 2000] });
        let told = tell(serde_json::from_value(json).unwrap()).unwrap();
        assert!(told.len() < KEPT + 2000 && told.ends_with("left out.]"));
    }
}
