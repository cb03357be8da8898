//! The terminal: raw mode, the alternate screen, keys. It is restored however the screen ends.

use std::io::{self, Stdout};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use outboard_documents::watch::Watch;
use outboard_drivers::root::Root;
use outboard_measure::stop;
use outboard_monitor::{Sample, rates};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};

use super::view;

/// How long a signal may take until it is noticed.
const NOTICE: Duration = Duration::from_millis(200);

/// The terminal in raw mode with the alternate screen, until dropped.
struct Screen(Terminal<CrosstermBackend<Stdout>>);

impl Screen {
    fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        let opened = execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        opened.map(Self).inspect_err(|_| restore())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Errors mean that the terminal is gone.
fn restore() {
    let _ = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

/// Shows a new sample after each interval, until a key or a signal ends it.
pub fn show(interval: Duration) -> Result<()> {
    let mut screen = Screen::open().context("the terminal cannot be used")?;
    let root = Root::live();
    let mut last = Sample::take(&root);
    let mut watch: Option<Watch> = None;
    let mut next = Instant::now() + interval.min(Duration::from_secs(1));
    loop {
        screen.0.draw(|frame| view::draw(frame, watch.as_ref(), interval))?;
        loop {
            let left = next.saturating_duration_since(Instant::now());
            if stop::asked() {
                return Ok(());
            }
            if left.is_zero() {
                break;
            }
            if event::poll(left.min(NOTICE))? {
                match event::read()? {
                    Event::Key(key) if ends(key) => return Ok(()),
                    Event::Resize(..) => {
                        screen.0.draw(|frame| view::draw(frame, watch.as_ref(), interval))?;
                    }
                    _ => {}
                }
            }
        }
        let now = Sample::take(&root);
        watch = Some(rates(&last, &now));
        last = now;
        next = Instant::now() + interval;
    }
}

fn ends(key: KeyEvent) -> bool {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind != KeyEventKind::Release
        && match key.code {
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => true,
            KeyCode::Char('c') => is_control,
            _ => false,
        }
}
