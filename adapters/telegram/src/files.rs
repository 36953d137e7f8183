//! What came with messages, fetched from the server on request: first where it lies, then the bytes. No retries; no word
//! of a failure holds the token, though the address of a file does.

use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::inbound::Attachment;
use pensive_contract::media::{Attachments, FetchFault};
use teloxide_core::payloads::GetFile;
use teloxide_core::types::FileId;

use crate::client::{CallFault, Client, Download};
use crate::wire::Located;

/// The limit of a download: 20 MB, the most that Telegram gives out (<https://core.telegram.org/bots/api#getfile>), over a
/// slow line.
const LIMIT: Duration = Duration::from_secs(60);

/// The files of one account.
pub(crate) struct Files {
    pub(crate) client: Client,
}

#[async_trait]
impl Attachments for Files {
    async fn fetch(&self, attachment: &Attachment, most: usize) -> Result<Vec<u8>, FetchFault> {
        let is_larger = |size: Option<u64>| size.is_some_and(|size| size > most as u64);
        if is_larger(attachment.size) {
            return Err(FetchFault::TooLarge);
        }
        let question = GetFile { file_id: FileId(attachment.handle.clone()) };
        let located = self.client.call::<_, Located>(&question).await.map_err(unlocated)?;
        if is_larger(located.file_size) {
            return Err(FetchFault::TooLarge);
        }
        let path = located.file_path.as_deref().and_then(plain).ok_or_else(elsewhere)?;
        match self.client.download(path, most, LIMIT).await {
            Ok(Download::Whole(bytes)) => Ok(bytes),
            Ok(Download::TooLarge) => Err(FetchFault::TooLarge),
            Ok(Download::Status(status @ (429 | 500..))) => {
                Err(FetchFault::Trouble(format!("the server answered {status} to a download")))
            }
            Ok(Download::Status(status)) => {
                Err(FetchFault::Gone(format!("the server answered {status} to a download")))
            }
            Err(fault) => Err(FetchFault::Trouble(fault.to_string())),
        }
    }
}

/// Why the server does not say where a file lies.
fn unlocated(fault: CallFault) -> FetchFault {
    match &fault {
        CallFault::Refused(refused) if refused.description.to_ascii_lowercase().contains("too big") => {
            FetchFault::TooLarge
        }
        CallFault::Refused(refused) if !matches!(refused.code, 429 | 500..) => {
            FetchFault::Gone(fault.to_string())
        }
        CallFault::Refused(_) | CallFault::Unreached(_) | CallFault::Overdue(_) | CallFault::Lost(_) => {
            FetchFault::Trouble(fault.to_string())
        }
    }
}

/// A path below the server's folder of files. Anything else could lead elsewhere.
fn plain(path: &str) -> Option<&str> {
    let is_name = |name: &str| {
        let known =
            |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '~' | '+' | '=' | ' ' | '(' | ')');
        !name.is_empty() && name != "." && name != ".." && name.chars().all(known)
    };
    path.split('/').all(is_name).then_some(path)
}

fn elsewhere() -> FetchFault {
    FetchFault::Gone(
        "the server names no path below its own address; one that runs with --local keeps files on its own disk".to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Refused;

    #[test]
    fn a_path_stays_below_the_folder_of_files() {
        let check = |path: &str, expected: bool| assert_eq!(plain(path).is_some(), expected, "{path}");
        check("photos/file_0.jpg", true);
        check("documents/Bericht (1) für Ann.pdf", true);
        for path in [
            "",
            "/var/lib/telegram/x",
            "a//b",
            "../x",
            "a/../../x",
            "a/./b",
            "http://other/x",
            "a?b",
            "a#b",
            "a%2e",
            "a\\b",
            "a@b",
        ] {
            check(path, false);
        }
    }

    #[test]
    fn a_no_is_final_and_trouble_is_not() {
        let refused = |code, description: &str| {
            let description = description.to_owned();
            CallFault::Refused(Refused { code, description, retry_after: None, moved_to: None })
        };
        let gone = |fault: CallFault| FetchFault::Gone(fault.to_string());
        let trouble = |fault: CallFault| FetchFault::Trouble(fault.to_string());
        let check = |fault: CallFault, expected: FetchFault| assert_eq!(unlocated(fault), expected);
        check(refused(400, "Bad Request: file is too big"), FetchFault::TooLarge);
        check(refused(400, "Bad Request: wrong file_id"), gone(refused(400, "Bad Request: wrong file_id")));
        check(refused(401, "Unauthorized"), gone(refused(401, "Unauthorized")));
        check(refused(429, "Too Many Requests"), trouble(refused(429, "Too Many Requests")));
        check(refused(502, "Bad Gateway"), trouble(refused(502, "Bad Gateway")));
        check(CallFault::Lost("x".to_owned()), trouble(CallFault::Lost("x".to_owned())));
    }
}
