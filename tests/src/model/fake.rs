//! The fake as a test holds it: says what the model will answer, looks at what it was asked, and sees clients leave.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt, io,
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::watch;

use super::{
    failure::Failure,
    listener::Recording,
    record::Record,
    request::{Fate, Request},
    rules::{self, RefusedEfforts, Rules},
    script::Script,
    seal::{self, Sealer, Vault},
    server,
};
use crate::{gate::Gate, socket::Serving};

/// How long a wait lasts before it is called a failure.
const PATIENCE: Duration = Duration::from_secs(20);

/// What can be chosen at the start.
#[derive(Clone, Debug)]
pub struct Options {
    /// Port 0 is picked by the system.
    pub address: SocketAddr,
    /// Any other key gets 401; without one every key will do.
    pub key: Option<String>,
    /// Names that the lists of models give.
    pub models: Vec<String>,
    /// What requests are held against.
    pub rules: Rules,
    /// Every request of Pensive's goes into a file of this folder, one JSON object a line. What others send by hand does not.
    pub record_dir: Option<PathBuf>,
}

impl Default for Options {
    /// Loopback, a port of the system's choice, strict rules, and the recording folder that `PENSIVE_RECORD_DIR` names.
    fn default() -> Self {
        let models = ["gpt-5.6-sol", "gpt-5.2", "gpt-5-mini", "fake-model"];
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            key: None,
            models: models.map(str::to_owned).to_vec(),
            rules: Rules::default(),
            record_dir: std::env::var_os("PENSIVE_RECORD_DIR").map(PathBuf::from),
        }
    }
}

/// A running server. Clones share it; it stops with the last of them.
#[derive(Clone, Debug)]
pub struct ModelFake {
    shared: Arc<Shared>,
    /// Absent in the server's own clone, which must not keep itself alive.
    serving: Option<Arc<Serving>>,
}

struct Shared {
    options: Options,
    started: Instant,
    state: Mutex<State>,
    vault: Arc<Mutex<Vault>>,
    record: Mutex<Record>,
    ticks: watch::Sender<u64>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelFake").field("options", &self.options).finish_non_exhaustive()
    }
}

type Reply = Arc<dyn Fn(&Request) -> Option<Script> + Send + Sync>;

#[derive(Default)]
struct State {
    queue: VecDeque<Script>,
    replies: Vec<Reply>,
    kept: VecDeque<Request>,
    keep: Option<usize>,
    count: usize,
    running: usize,
    peak: usize,
    abandoned: usize,
    gates: BTreeMap<String, Gate>,
    rules: Rules,
    transcripts: VecDeque<Result<String, Failure>>,
    recordings: Vec<Recording>,
}

impl ModelFake {
    /// Starts on loopback.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(Options::default()).await
    }

    /// Starts with choices of one's own.
    pub async fn start_with(options: Options) -> io::Result<Self> {
        let address = options.address;
        let state = State { rules: options.rules.clone(), ..State::default() };
        let record = Record::new(options.record_dir.clone());
        let shared = Shared {
            options,
            started: Instant::now(),
            state: Mutex::new(state),
            vault: Arc::default(),
            record: Mutex::new(record),
            ticks: watch::Sender::new(0),
        };
        let mut fake = Self { shared: Arc::new(shared), serving: None };
        let serving = Serving::start(server::router(fake.clone()), address).await?;
        fake.serving = Some(Arc::new(serving));
        Ok(fake)
    }

    /// Root of the server, without `/v1`.
    pub fn url(&self) -> String {
        self.serving.as_ref().map(|serving| serving.url()).unwrap_or_default()
    }

    /// What clients take as their base URL.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// Stops serving: new connections are refused, those that are open are left to end.
    pub fn stop(&self) {
        if let Some(serving) = &self.serving {
            serving.stop();
        }
    }

    /// The next request that no earlier script answers gets this one.
    pub fn play(&self, script: Script) {
        self.state().queue.push_back(script);
    }

    /// Answers every request for which `reply` has a script. Queued scripts come first, then the reply added last, then the echo.
    pub fn reply_with(&self, reply: impl Fn(&Request) -> Option<Script> + Send + Sync + 'static) {
        self.state().replies.push(Arc::new(reply));
    }

    /// Answers with `script` when the prompt contains `part`.
    pub fn reply_to(&self, part: &str, script: Script) {
        let part = part.to_owned();
        self.reply_with(move |request| request.prompt().contains(&part).then(|| script.clone()));
    }

    /// The next recording that no earlier words are for is written down as this. Without any, its size is told.
    pub fn transcribe(&self, words: &str) {
        self.state().transcripts.push_back(Ok(words.to_owned()));
    }

    /// The same, and it goes wrong.
    pub fn fail_transcription(&self, failure: Failure) {
        self.state().transcripts.push_back(Err(failure));
    }

    /// The recordings that were sent to be written down, in order of arrival.
    pub fn recordings(&self) -> Vec<Recording> {
        self.state().recordings.clone()
    }

    pub(crate) fn hear(&self, recording: Recording) -> Result<String, Failure> {
        let mut state = self.state();
        let size = recording.bytes.len();
        state.recordings.push(recording);
        let words = state.transcripts.pop_front();
        drop(state);
        self.tick();
        words.unwrap_or_else(|| Ok(format!("A recording of {size} bytes.")))
    }

    /// From now on requests are held against these rules.
    pub fn set_rules(&self, rules: Rules) {
        self.state().rules = rules;
    }

    /// Answers 400 to requests with one of these efforts, in the vendor's words. `on` is any effort and any budget, `off` the wish for none.
    /// `supported` is listed in the error, unless it is empty.
    pub fn refuse_efforts(&self, words: &[&str], supported: &[&str]) {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let refused = RefusedEfforts { words: owned(words), supported: owned(supported) };
        self.state().rules.efforts.push(refused);
    }

    /// What the rules had to say about the requests that are kept.
    pub fn refusals(&self) -> Vec<String> {
        self.state().kept.iter().filter_map(|request| request.refused.clone()).collect()
    }

    /// The gate of this name, closed until somebody opens it: how another process holds and releases answers.
    pub fn gate(&self, name: &str) -> Gate {
        self.state().gates.entry(name.to_owned()).or_default().clone()
    }

    /// Time since the start, on the clock of [`Request::at`].
    pub fn elapsed(&self) -> Duration {
        self.shared.started.elapsed()
    }

    /// Takes back every script and reply.
    pub fn clear(&self) {
        let mut state = self.state();
        state.queue.clear();
        state.transcripts.clear();
        state.replies.clear();
    }

    /// Requests so far that are kept, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.state().kept.iter().cloned().collect()
    }

    /// Requests so far.
    pub fn count(&self) -> usize {
        self.state().count
    }

    /// Requests being answered now.
    pub fn running(&self) -> usize {
        self.state().running
    }

    /// The most that were being answered at once.
    pub fn peak(&self) -> usize {
        self.state().peak
    }

    /// Requests whose client left before the end.
    pub fn abandoned(&self) -> usize {
        self.state().abandoned
    }

    /// Keeps only the last `count` requests, for runs of millions.
    pub fn keep_requests(&self, count: usize) {
        self.state().keep = Some(count);
    }

    /// Forgets requests and counts.
    pub fn forget(&self) {
        let mut state = self.state();
        state.kept.clear();
        state.peak = state.running;
        state.abandoned = 0;
    }

    /// The first request, past or to come, that satisfies `wanted`. Fails the test after a while.
    pub async fn wait_for_request(&self, wanted: impl Fn(&Request) -> bool) -> Request {
        self.wait_until(|fake| fake.state().kept.iter().find(|request| wanted(request)).cloned()).await
    }

    /// Waits until `count` clients in all have left early.
    pub async fn wait_for_abandoned(&self, count: usize) {
        self.wait_until(|fake| (fake.abandoned() >= count).then_some(())).await;
    }

    /// Waits until `count` requests are being answered.
    pub async fn wait_for_running(&self, count: usize) {
        self.wait_until(|fake| (fake.running() == count).then_some(())).await;
    }

    /// Waits until `look` finds something; it is asked again whenever a request comes or ends.
    pub async fn wait_until<T>(&self, look: impl Fn(&Self) -> Option<T>) -> T {
        match self.wait_within(PATIENCE, look).await {
            Some(found) => found,
            #[expect(clippy::panic, reason = "this is how a test fails; no request of a client comes here")]
            None => {
                let asked: Vec<_> =
                    self.requests().iter().map(|request| (request.prompt(), request.fate)).collect();
                panic!("nothing of the kind came within {PATIENCE:?}; requests: {asked:?}")
            }
        }
    }

    /// As [`Self::wait_until`], with a limit of one's own and no failure.
    pub async fn wait_within<T>(&self, limit: Duration, look: impl Fn(&Self) -> Option<T>) -> Option<T> {
        let mut ticks = self.shared.ticks.subscribe();
        let search = async {
            loop {
                ticks.mark_unchanged();
                if let Some(found) = look(self) {
                    return found;
                }
                // The sender lives as long as this borrow.
                ticks.changed().await.ok();
            }
        };
        tokio::time::timeout(limit, search).await.ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Files a request and finds its script, or what the vendor says to it.
    pub(crate) fn admit(&self, mut request: Request) -> (Request, Result<Script, Failure>, Visit) {
        self.shared.record.lock().unwrap_or_else(PoisonError::into_inner).add(&request);
        let rules = self.state().rules.clone();
        let judged = rules::check(&request, &rules, &seal::lock(&self.shared.vault));
        request.refused = judged.as_ref().err().map(Failure::message);
        let mut state = self.state();
        state.count += 1;
        state.running += 1;
        state.peak = state.peak.max(state.running);
        request.number = state.count;
        request.at = u64::try_from(self.shared.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let keep = state.keep.unwrap_or(usize::MAX);
        if keep > 0 {
            while state.kept.len() >= keep {
                state.kept.pop_front();
            }
            state.kept.push_back(request.clone());
        }
        let queued = if judged.is_ok() { state.queue.pop_front() } else { None };
        let replies = if queued.is_none() { state.replies.clone() } else { Vec::new() };
        drop(state);
        self.tick();
        let sealer = Sealer::new(Arc::clone(&self.shared.vault), request.number, request.model());
        let prefix = request.shape.call_prefix();
        let visit = Visit { fake: self.clone(), number: request.number, prefix, sealer, over: false };
        let script = judged.map(|()| {
            let script = queued.or_else(|| replies.iter().rev().find_map(|reply| reply(&request)));
            script.unwrap_or_else(|| Script::echo(&request))
        });
        (request, script, visit)
    }

    fn settle(&self, number: usize, fate: Fate) {
        let mut state = self.state();
        state.running = state.running.saturating_sub(1);
        state.abandoned += usize::from(fate == Fate::Abandoned);
        // Numbers grow along the queue.
        let place = state.kept.binary_search_by_key(&number, |request| request.number);
        if let Some(request) = place.ok().and_then(|place| state.kept.get_mut(place)) {
            request.fate = fate;
        }
        drop(state);
        self.tick();
    }

    fn tick(&self) {
        self.shared.ticks.send_modify(|ticks| *ticks += 1);
    }
}

/// One request being answered. Dropped before [`Visit::done`], it means that the client has left.
#[derive(Debug)]
pub(crate) struct Visit {
    fake: ModelFake,
    number: usize,
    prefix: &'static str,
    sealer: Sealer,
    over: bool,
}

impl Visit {
    pub(crate) fn done(&mut self) {
        if !std::mem::replace(&mut self.over, true) {
            self.fake.settle(self.number, Fate::Done);
        }
    }

    /// A tool call's id, no two alike.
    pub(crate) fn call_id(&self, place: usize) -> String {
        format!("{}_fake{:08}{place:02}", self.prefix, self.number)
    }

    /// Seals the thoughts of this answer.
    pub(crate) fn sealer(&self) -> &Sealer {
        &self.sealer
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if !self.over {
            self.fake.settle(self.number, Fate::Abandoned);
        }
    }
}
