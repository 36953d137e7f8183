//! What came with messages, fetched from where Discord keeps it. No token goes there: an address carries the right to read it,
//! for a day or so, and is exchanged for a fresh one when that has passed.

use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::inbound::Attachment;
use pensive_contract::media::{Attachments, FetchFault};
use reqwest::{Method, Url};
use serde::{Deserialize, Serialize};

use crate::client::{CallFault, Client, Download, Payload};
use crate::routes;

/// The limit of a download over a slow line.
const LIMIT: Duration = Duration::from_secs(60);
/// Where Discord keeps what people send (<https://docs.discord.com/developers/reference#signed-attachment-cdn-urls>).
const KEEPERS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];

/// The files of one account.
pub(crate) struct Files {
    pub(crate) client: Client,
}

#[derive(Serialize)]
struct Stale<'a> {
    attachment_urls: [&'a str; 1],
}

#[derive(Deserialize)]
struct Fresh {
    refreshed_urls: Vec<Refreshed>,
}

#[derive(Deserialize)]
struct Refreshed {
    refreshed: String,
}

#[async_trait]
impl Attachments for Files {
    async fn fetch(&self, attachment: &Attachment, most: usize) -> Result<Vec<u8>, FetchFault> {
        if attachment.size.is_some_and(|size| size > most as u64) {
            return Err(FetchFault::TooLarge);
        }
        let address = self.known(&attachment.handle)?;
        match self.client.download(address, most, LIMIT).await {
            // So Discord answers to an address that has run out, and to one that never was.
            Ok(Download::Status(403 | 404)) => {
                let fresh = self.refreshed(&attachment.handle).await?;
                read(self.client.download(fresh, most, LIMIT).await)
            }
            fetched => read(fetched),
        }
    }
}

impl Files {
    /// A fresh address of the same file.
    async fn refreshed(&self, stale: &str) -> Result<Url, FetchFault> {
        let gone = |why: &str| FetchFault::Gone(format!("{why} to a download"));
        let json = serde_json::to_vec(&Stale { attachment_urls: [stale] })
            .map_err(|_| gone("nothing was answered"))?;
        let route = routes::fresh_addresses();
        let fresh = self.client.call::<Fresh>(Method::POST, &route, Payload::Json(json)).await;
        let fresh = fresh.map_err(|fault| match &fault {
            CallFault::Refused(no) if !matches!(no.status, 429 | 500..) => {
                FetchFault::Gone(format!("no fresh address is given out: {fault}"))
            }
            CallFault::Refused(_)
            | CallFault::Unreached(_)
            | CallFault::Limited(_)
            | CallFault::Overdue(_)
            | CallFault::Lost(_) => FetchFault::Trouble(fault.to_string()),
        })?;
        let first = fresh.refreshed_urls.first().ok_or_else(|| gone("no fresh address was answered"))?;
        self.known(&first.refreshed)
    }

    /// An address where Discord keeps files. Any other would have us ask whomever a sender likes.
    fn known(&self, address: &str) -> Result<Url, FetchFault> {
        let known = Url::parse(address).ok().filter(|url| is_known(url, self.client.root()));
        known.ok_or_else(|| {
            FetchFault::Gone("the address of a file leads elsewhere than to Discord".to_owned())
        })
    }
}

fn is_known(url: &Url, root: &Url) -> bool {
    let is_keeper = url.scheme() == "https"
        && url.port().is_none()
        && url.host_str().is_some_and(|host| KEEPERS.contains(&host));
    let has_no_name = url.username().is_empty() && url.password().is_none();
    has_no_name && (is_keeper || url.origin() == root.origin())
}

fn read(fetched: Result<Download, CallFault>) -> Result<Vec<u8>, FetchFault> {
    match fetched {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_fetched_from_discord_alone() {
        let check = |url: &str, root: &str, expected: bool| {
            let (url, root) = (Url::parse(url).unwrap(), Url::parse(root).unwrap());
            assert_eq!(is_known(&url, &root), expected, "{url}");
        };
        let discord = "https://discord.com";
        check("https://cdn.discordapp.com/attachments/1/2/a.png?ex=6&is=5&hm=4&", discord, true);
        check("https://media.discordapp.net/attachments/1/2/a.png", discord, true);
        check("https://cdn.discordapp.com:443/a", discord, true);
        check("http://127.0.0.1:9000/attachments/1/2/a.png", "http://127.0.0.1:9000", true);
        for elsewhere in [
            "http://cdn.discordapp.com/a",
            "https://cdn.discordapp.com:8443/a",
            "https://cdn.discordapp.com.evil.example/a",
            "https://evil.example/cdn.discordapp.com/a",
            "https://me:secret@cdn.discordapp.com/a",
            "https://cdn.discordapp.com@evil.example/a",
            "http://127.0.0.1:9001/a",
            "http://169.254.169.254/latest/meta-data",
            "file:///etc/passwd",
        ] {
            check(elsewhere, discord, false);
        }
        check("http://127.0.0.1:9001/a", "http://127.0.0.1:9000", false);
    }
}
