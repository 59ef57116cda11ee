//! Hints for the errors of leagues on many machines: the next step of the user.

use command_line::Hinted;

use crate::coordinate::CoordinateError;
use crate::dispatch::DispatchError;
use crate::origin::OriginError;

impl Hinted for DispatchError {
    fn hint(&self) -> String {
        match self {
            Self::Unreachable(_) => "the same command goes on when the queue can be reached again".to_owned(),
            Self::Unusable(_) => {
                "name a queue that can be written to with `--queue`; a Postgres database must allow its user to create \
                 schemas and the extension hstore"
                    .to_owned()
            }
        }
    }
}

impl Hinted for CoordinateError {
    fn hint(&self) -> String {
        match self {
            Self::Dispatch(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::OtherLeague(_) => {
                "somebody has changed the store or the queue: begin the league anew".to_owned()
            }
            Self::Unverifiable { .. } => {
                "what was played is stored: cure this machine, and the same command goes on with it; `--verify-every 0` \
                 verifies nothing"
                    .to_owned()
            }
            Self::Thread(_) => "close other programs, or choose `--verify-every 0`".to_owned(),
            Self::Unplayable { .. } => "the matches before it are in the store".to_owned(),
            Self::Cancelled => "what was played is stored; the same command goes on with it".to_owned(),
        }
    }
}

impl Hinted for OriginError {
    fn hint(&self) -> String {
        "name a folder in which `league-dist run` has begun a league".to_owned()
    }
}
