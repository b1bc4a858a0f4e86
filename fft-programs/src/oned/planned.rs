//! Plans that travel: tables and kernels, made once a process and handed around.
//!
//! A [`Plan`] is made of a recipe, a few words that say all about it. Within a process its handle moves, 8
//! bytes whatever it holds. Through bytes only the recipe travels, and the plan is made anew where it
//! arrives: a table of N/2 factors would otherwise go to each of N/B threads, more bytes than the transform
//! itself moves.
//!
//! *Once a process.* Handles of one recipe share one plan for as long as any of them lives: [`Planned::of`]
//! looks into a table of weak references. Plans are made under the table's lock, so that of many threads
//! which unpack the same recipe at once one plans and the others wait for it: better than each
//! planning for itself. The last handle frees the plan, so nothing is kept for a transform that may never
//! come again; who repeats one keeps a handle.
//!
//! *Cost.* A handle from a known recipe: a lock, a look-up and an atomic increment. *When it loses.* Against
//! sending a plan that is small and slow to make.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use earth::{Block, Element, Packer, Undecodable, Unpacker, Wire};
use parking_lot::Mutex;

/// What is made of a few words, the same every time, and only read afterwards.
pub trait Plan: Sized + Send + Sync + 'static {
    /// The words.
    type Recipe: Wire + Clone + Eq + Hash + Debug + Sync;
    /// Why some words make no plan.
    type Error;

    /// Makes it.
    ///
    /// # Errors
    ///
    /// A recipe of which there is no plan.
    fn make(recipe: Self::Recipe) -> Result<Self, Self::Error>;
}

/// The part of a plan that is computed with and takes memory: not there in a plan for phantoms.
#[derive(Debug)]
pub(crate) struct Tables<M>(Option<M>);

impl<M> Tables<M> {
    /// What `make` makes, unless the plan is for phantoms.
    pub(crate) fn unless(phantom: bool, make: impl FnOnce() -> M) -> Self {
        Self((!phantom).then(make))
    }

    /// What `make` makes, if it can, unless the plan is for phantoms.
    pub(crate) fn try_unless<E>(phantom: bool, make: impl FnOnce() -> Result<M, E>) -> Result<Self, E> {
        Ok(Self(if phantom { None } else { Some(make()?) }))
    }

    /// # Panics
    ///
    /// In a plan for phantoms.
    pub(crate) fn get(&self) -> &M {
        self.0.as_ref().expect("no job of elements is made with a plan for phantoms")
    }

    /// That what is to be transformed is a phantom if the plan is for such.
    #[track_caller]
    pub(crate) fn check<T: Element>(&self, points: &Block<T>) {
        assert!(self.0.is_some() || points.is_phantom(), "a plan for phantoms and a block with elements");
    }
}

/// A handle of a plan, to which it derefs. Clones share the plan.
pub struct Planned<P: Plan>(Arc<Made<P>>);

struct Made<P: Plan> {
    recipe: P::Recipe,
    plan: P,
}

/// The plans of one type that somebody holds.
type Shelf<P> = HashMap<<P as Plan>::Recipe, Weak<Made<P>>>;

/// All shelves, by the type of plan.
static SHELVES: Mutex<Option<HashMap<TypeId, Box<dyn Any + Send>>>> = Mutex::new(None);

impl<P: Plan> Planned<P> {
    /// The plan of a recipe: one that somebody in this process holds, else a new one.
    ///
    /// # Errors
    ///
    /// As [`Plan::make`].
    pub fn of(recipe: P::Recipe) -> Result<Self, P::Error> {
        let mut shelves = SHELVES.lock();
        let shelf = shelves.get_or_insert_default().entry(TypeId::of::<P>());
        let shelf = shelf.or_insert_with(|| Box::new(Shelf::<P>::new()));
        let Some(shelf) = shelf.downcast_mut::<Shelf<P>>() else {
            unreachable!("a shelf is kept by its type")
        };
        if let Some(known) = shelf.get(&recipe).and_then(Weak::upgrade) {
            return Ok(Self(known));
        }
        let made = Arc::new(Made { recipe: recipe.clone(), plan: P::make(recipe.clone())? });
        // Whoever makes a plan clears away those that nobody holds any more.
        shelf.retain(|_, plan| plan.strong_count() > 0);
        shelf.insert(recipe, Arc::downgrade(&made));
        Ok(Self(made))
    }
}

impl<P: Plan> Deref for Planned<P> {
    type Target = P;
    fn deref(&self) -> &P {
        &self.0.plan
    }
}

impl<P: Plan> Clone for Planned<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Plan> Debug for Planned<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Planned").field(&self.0.recipe).finish()
    }
}

impl<P: Plan> Wire for Planned<P> {
    fn pack(self, out: &mut Packer) {
        self.0.recipe.clone().pack(out);
    }
    fn unpack(input: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Self::of(Wire::unpack(input)?).map_err(|_| Undecodable)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static MADE: AtomicUsize = AtomicUsize::new(0);

    struct Squares(Vec<u64>);

    impl Plan for Squares {
        type Recipe = u64;
        type Error = &'static str;
        fn make(count: u64) -> Result<Self, &'static str> {
            if count == 0 {
                return Err("no squares");
            }
            MADE.fetch_add(1, Ordering::Relaxed);
            Ok(Self((0..count).map(|i| i * i).collect()))
        }
    }

    #[test]
    fn a_plan_is_made_once_while_it_is_held_and_freed_with_its_last_handle() {
        let plan = |count| Planned::<Squares>::of(count).unwrap();
        let first = plan(4);
        let more: Vec<_> = std::thread::scope(|scope| {
            let plans: Vec<_> = (0..4).map(|_| scope.spawn(|| plan(4))).collect();
            plans.into_iter().map(|plan| plan.join().unwrap()).collect()
        });
        assert_eq!((MADE.load(Ordering::Relaxed), first.0.plan.0.as_slice()), (1, &[0, 1, 4, 9][..]));
        assert!(more.iter().all(|plan| Arc::ptr_eq(&plan.0, &first.0)));
        assert_eq!((plan(2).0.plan.0.len(), MADE.load(Ordering::Relaxed)), (2, 2));
        let weak = Arc::downgrade(&first.0);
        drop((first, more));
        assert!(weak.upgrade().is_none());
        assert_eq!((plan(4).0.plan.0.len(), MADE.load(Ordering::Relaxed)), (4, 3));
        assert_eq!(Planned::<Squares>::of(0).err(), Some("no squares"));
        let held: Vec<_> = (1..50).map(plan).filter(|plan| plan.0.recipe == 7).collect();
        let mut shelves = SHELVES.lock();
        let shelf = shelves.as_mut().and_then(|all| all.get_mut(&TypeId::of::<Squares>()));
        let shelf = shelf.and_then(|shelf| shelf.downcast_mut::<Shelf<Squares>>()).unwrap();
        assert_eq!((held.len(), shelf.len()), (1, 2), "the one that is held, and the last one made");
    }
}
