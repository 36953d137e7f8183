//! A turn of a transcript on disk.

use pensive_contract::clock::Timestamp;
use pensive_contract::model::{ModelRef, PromptTurn};
use pensive_contract::session::Turn;
use pensive_contract::speech::{Piece, PieceKind, Seal, Speech, ToolCall, ToolOutcome, ToolResult};
use serde::{Deserialize, Serialize};

/// See [`Turn`].
#[derive(Serialize, Deserialize)]
pub(crate) struct TurnRecord {
    at: i64,
    role: RoleRecord,
    /// A person's name, or the model as `provider/model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What a person would read.
    text: String,
    /// The whole of what a model said, where that is more than the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<PieceRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<ResultRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum RoleRecord {
    User,
    Assistant,
    Tools,
}

#[derive(Serialize, Deserialize)]
struct PieceRecord {
    #[serde(flatten)]
    kind: KindRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum KindRecord {
    Reasoning(String),
    Text(String),
    Call { id: String, name: String, arguments: String },
}

#[derive(Serialize, Deserialize)]
struct ResultRecord {
    id: String,
    name: String,
    text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
}

impl From<Turn> for TurnRecord {
    fn from(turn: Turn) -> Self {
        let bare = |role, name, text| Self {
            at: turn.at.0,
            role,
            name,
            text,
            pieces: Vec::new(),
            results: Vec::new(),
        };
        match turn.said {
            PromptTurn::User(text) => bare(RoleRecord::User, turn.name, text),
            // Nobody keeps these; the words beside them tell that they were there.
            PromptTurn::Media(_) => bare(RoleRecord::User, turn.name, String::new()),
            PromptTurn::Assistant(speech) => {
                let model = speech.model.as_ref().map(ModelRef::to_string);
                let record = bare(RoleRecord::Assistant, model, speech.text());
                let pieces = if is_plain(&speech) { Vec::new() } else { speech.pieces };
                Self { pieces: pieces.into_iter().map(PieceRecord::from).collect(), ..record }
            }
            PromptTurn::Tools(results) => {
                let results = results.into_iter().map(ResultRecord::from).collect();
                Self { results, ..bare(RoleRecord::Tools, None, String::new()) }
            }
        }
    }
}

/// Whether the text says everything.
fn is_plain(speech: &Speech) -> bool {
    match speech.pieces.as_slice() {
        [piece] => piece.seal.is_none() && matches!(piece.kind, PieceKind::Text(_)),
        [] => true,
        _ => false,
    }
}

impl From<TurnRecord> for Turn {
    fn from(record: TurnRecord) -> Self {
        let at = Timestamp(record.at);
        match record.role {
            RoleRecord::User => Self { at, name: record.name, said: PromptTurn::User(record.text) },
            RoleRecord::Assistant => {
                let model = record.name.as_deref().and_then(ModelRef::parse);
                let speech = if record.pieces.is_empty() {
                    Speech::text_only(model, record.text)
                } else {
                    Speech { model, pieces: record.pieces.into_iter().map(Piece::from).collect() }
                };
                Self { at, name: None, said: PromptTurn::Assistant(speech) }
            }
            RoleRecord::Tools => {
                let results = record.results.into_iter().map(ToolResult::from).collect();
                Self { at, name: None, said: PromptTurn::Tools(results) }
            }
        }
    }
}

impl From<Piece> for PieceRecord {
    fn from(piece: Piece) -> Self {
        let kind = match piece.kind {
            PieceKind::Reasoning(text) => KindRecord::Reasoning(text),
            PieceKind::Text(text) => KindRecord::Text(text),
            PieceKind::Call(ToolCall { id, name, arguments }) => KindRecord::Call { id, name, arguments },
        };
        Self { kind, seal: piece.seal.map(|seal| seal.0) }
    }
}

impl From<PieceRecord> for Piece {
    fn from(record: PieceRecord) -> Self {
        let kind = match record.kind {
            KindRecord::Reasoning(text) => PieceKind::Reasoning(text),
            KindRecord::Text(text) => PieceKind::Text(text),
            KindRecord::Call { id, name, arguments } => PieceKind::Call(ToolCall { id, name, arguments }),
        };
        Self { kind, seal: record.seal.map(Seal) }
    }
}

impl From<ToolResult> for ResultRecord {
    fn from(result: ToolResult) -> Self {
        let failed = result.outcome == ToolOutcome::Failed;
        Self { id: result.id, name: result.name, text: result.text, failed }
    }
}

impl From<ResultRecord> for ToolResult {
    fn from(record: ResultRecord) -> Self {
        let outcome = if record.failed { ToolOutcome::Failed } else { ToolOutcome::Done };
        Self { id: record.id, name: record.name, text: record.text, outcome }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: PromptTurn, name: Option<&str>) {
        let turn = Turn { at: Timestamp(7), name: name.map(str::to_owned), said };
        let json = serde_json::to_string(&TurnRecord::from(turn.clone())).unwrap();
        let back: TurnRecord = serde_json::from_str(&json).unwrap();
        assert_eq!(Turn::from(back), turn, "{json}");
    }

    #[test]
    fn prov_01_prov_02_what_a_model_wants_back_comes_back_letter_for_letter() {
        let model = ModelRef::parse("a/b");
        let call = ToolCall { id: "1".into(), name: "t".into(), arguments: "{\"x\":".into() };
        let sealed = |kind| Piece { kind, seal: Some(Seal("sig\n\u{1F600}".into())) };
        let pieces = vec![
            sealed(PieceKind::Reasoning("hm".into())),
            sealed(PieceKind::Reasoning(String::new())),
            PieceKind::Text("I look.".into()).into(),
            sealed(PieceKind::Call(call)),
        ];
        check(PromptTurn::Assistant(Speech { model: model.clone(), pieces }), None);
        check(PromptTurn::Assistant(Speech::text_only(model, "plain")), None);
        check(PromptTurn::User("hi".into()), Some("Ann"));
        let result = |outcome| ToolResult { id: "1".into(), name: "t".into(), text: "ok".into(), outcome };
        check(PromptTurn::Tools(vec![result(ToolOutcome::Done), result(ToolOutcome::Failed)]), None);
    }

    #[test]
    fn turns_of_the_first_version_are_still_read() {
        let json = r#"{"at":1,"role":"assistant","name":"openai/x","text":"Hello"}"#;
        let turn = Turn::from(serde_json::from_str::<TurnRecord>(json).unwrap());
        let speech = Speech::text_only(ModelRef::parse("openai/x"), "Hello");
        assert_eq!(turn, Turn { at: Timestamp(1), name: None, said: PromptTurn::Assistant(speech) });
    }
}
