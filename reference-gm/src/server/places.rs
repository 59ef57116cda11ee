//! Places for connections: a limit on all of them, and a limit on those of one origin.
//!
//! A connection that has not logged in yet holds its place only until a newcomer needs it: then the oldest such
//! connection gives way, but not before it has had [`GRACE`] to log in. Newcomers wait meanwhile, in the order in which
//! they came. So strangers who connect and say nothing keep nobody out, even if they connect again and again, and
//! neither does one address alone.
//!
//! # What this module does not do
//!
//! It opens and closes no connection, and knows no protocol: the loop of a server says who has [logged
//! in](Place::keep).

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The time that a connection has to log in before it gives its place to a newcomer.
pub const GRACE: Duration = Duration::from_millis(500);

/// The origin of a client, for limits on what one origin may cause.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// Not known any more, after a restart: no limit applies to it.
    Unknown,
    /// An address. An IPv6 address stands for all addresses with the same first 64 bits: one machine can have all of
    /// these.
    Address(IpAddr),
}

impl Origin {
    /// Returns the origin of connections from this address.
    pub fn of(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// The answer to a newcomer.
#[derive(Debug)]
pub enum Offer {
    /// A place.
    Place(Place),
    /// A place at this moment, if the newcomer asks again then.
    Later(Instant),
    /// None: all places have connections that have logged in.
    Nothing,
}

/// All places of a port.
#[derive(Clone, Debug)]
pub struct Places {
    most: usize,
    most_of_origin: usize,
    taken: Arc<Mutex<Taken>>,
}

/// The place of one connection. It is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    number: u64,
    origin: Origin,
    gives_way: Arc<Notify>,
    is_kept: AtomicBool,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    /// Number of the next place.
    next: u64,
    /// The places of connections that have logged in, by their origins.
    kept: BTreeMap<Origin, usize>,
    /// The places of the others; the first is the oldest.
    open: BTreeMap<u64, Open>,
    /// The same places by their origins.
    open_of: BTreeSet<(Origin, u64)>,
}

/// The place of a connection that has not logged in.
#[derive(Debug)]
struct Open {
    origin: Origin,
    since: Instant,
    gives_way: Arc<Notify>,
}

impl Places {
    /// Creates a number of places, of which one origin may have `most_of_origin`.
    pub fn new(most: usize, most_of_origin: usize) -> Self {
        Self { most, most_of_origin, taken: Arc::default() }
    }

    /// Takes a place for a connection from this origin, if necessary that of another one that has not logged in.
    ///
    /// An origin that has its share takes the place of its own oldest connection at once: others do not wait for it.
    pub fn take(&self, now: Instant, origin: Origin) -> Offer {
        let mut taken = lock(&self.taken);
        let of_origin = taken.kept.get(&origin).copied().unwrap_or(0) + taken.open_of_origin(origin).count();
        let gives_way = if of_origin >= self.most_of_origin && self.most_of_origin < self.most {
            let Some(oldest) = taken.open_of_origin(origin).next() else { return Offer::Nothing };
            Some(oldest)
        } else if taken.kept.values().sum::<usize>() + taken.open.len() >= self.most {
            let Some((oldest, open)) = taken.open.first_key_value() else { return Offer::Nothing };
            if now < open.since + GRACE {
                return Offer::Later(open.since + GRACE);
            }
            Some(*oldest)
        } else {
            None
        };
        if let Some(open) = gives_way.and_then(|number| taken.remove_open(number)) {
            open.gives_way.notify_one();
        }
        let number = taken.next;
        taken.next += 1;
        let gives_way = Arc::new(Notify::new());
        taken.open.insert(number, Open { origin, since: now, gives_way: Arc::clone(&gives_way) });
        taken.open_of.insert((origin, number));
        Offer::Place(Place {
            number,
            origin,
            gives_way,
            is_kept: AtomicBool::new(false),
            taken: Arc::clone(&self.taken),
        })
    }
}

impl Place {
    /// Returns the origin of the connection.
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Keeps this place, also when newcomers need one: the connection has logged in.
    pub fn keep(&self) {
        let mut taken = lock(&self.taken);
        // The place may have been given to a new connection just now.
        if taken.remove_open(self.number).is_some() {
            *taken.kept.entry(self.origin).or_default() += 1;
            self.is_kept.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether this place is kept.
    pub fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    /// Waits until the place is given to a newcomer.
    pub async fn taken(&self) {
        self.gives_way.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.remove_open(self.number);
        if self.is_kept()
            && let Some(count) = taken.kept.get_mut(&self.origin)
        {
            *count -= 1;
            if *count == 0 {
                taken.kept.remove(&self.origin);
            }
        }
    }
}

impl Taken {
    /// Returns the numbers of the places of an origin that are not kept, the oldest first.
    fn open_of_origin(&self, origin: Origin) -> impl Iterator<Item = u64> {
        self.open_of.range((origin, 0)..=(origin, u64::MAX)).map(|(_, number)| *number)
    }

    fn remove_open(&mut self, number: u64) -> Option<Open> {
        let removed = self.open.remove(&number)?;
        self.open_of.remove(&(removed.origin, number));
        Some(removed)
    }
}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().expect("nothing panics while it has the lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(last: u8) -> Origin {
        Origin::of([10, 0, 0, last].into())
    }

    /// Returns whether the place was given to another connection.
    fn is_taken(place: &Place) -> bool {
        let mut waiting = std::pin::pin!(place.taken());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        waiting.as_mut().poll(&mut context).is_ready()
    }

    /// Takes a place that must be there.
    fn taken(places: &Places, now: Instant, last: u8) -> Place {
        match places.take(now, origin(last)) {
            Offer::Place(place) => place,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_oldest_connection_without_a_login_gives_way() {
        let now = Instant::now();
        let later = now + GRACE;
        let places = Places::new(3, 3);
        let [first, second, third] = [1, 2, 3].map(|last| taken(&places, now, last));
        first.keep();
        let early = places.take(later - Duration::from_millis(1), origin(4));
        assert!(matches!(early, Offer::Later(at) if at == later), "it has some time to log in");
        let fourth = taken(&places, later, 4);
        assert_eq!([&first, &second, &third, &fourth].map(is_taken), [false, true, false, false]);
        // A login that comes too late does not bring the place back.
        second.keep();
        assert!(!second.is_kept());
        third.keep();
        fourth.keep();
        let is_full = || matches!(places.take(later, origin(5)), Offer::Nothing);
        assert!(is_full(), "all have logged in");
        drop(second);
        assert!(is_full(), "a place that was given away is not free again");
        drop(first);
        taken(&places, later, 5);
    }

    #[test]
    fn one_origin_has_a_share_of_all_places() {
        let now = Instant::now();
        let places = Places::new(4, 2);
        let [first, second] = [0, 1].map(|_| taken(&places, now, 1));
        let other = taken(&places, now, 2);
        second.keep();
        let third = taken(&places, now, 1);
        assert_eq!([&first, &second, &other, &third].map(is_taken), [true, false, false, false]);
        third.keep();
        assert!(matches!(places.take(now, origin(1)), Offer::Nothing));
        taken(&places, now, 3);
    }

    #[test]
    fn an_origin_is_an_address_or_a_network_of_one_machine() {
        let of = |text: &str| Origin::of(text.parse().unwrap());
        assert_eq!(of("10.0.0.1"), of("::ffff:10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    }
}
