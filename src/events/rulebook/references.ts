/** Who names whom in a rulebook, and which versions of rules are pinned. */

import { forgetRule } from './held.ts'
import type { Entries, Entry, RulebookState } from './rulebook.ts'
import { versionKey } from './versionEvents.ts'

/** A name of something in something else; `pinned` is the version of it that is meant, where one is. */
export interface Reference {
  readonly id: string
  readonly pinned?: string
}

/** What one names, before and after a change of it. */
interface Referring {
  readonly by: string
  readonly before: readonly Reference[]
  readonly after: readonly Reference[]
}

type Referred = Pick<Entries<Entry<unknown>>, 'get'>

/** Notes the change in what is named. */
export function reRefer(
  state: RulebookState,
  items: Referred,
  { by, before, after }: Referring,
): void {
  const named = new Set(after.map(({ id }) => id))
  for (const { id } of before) {
    const entry = named.has(id) ? undefined : items.get(id)
    if (entry) removeSorted(entry.referrers, by)
  }
  for (const { id } of after) {
    const entry = items.get(id)
    if (entry) addSorted(entry.referrers, by)
  }
  // what stays pinned is held in between
  for (const one of after) pin(state, one)
  for (const one of before) unpin(state, one)
}

function pin(state: RulebookState, { id, pinned }: Reference): void {
  const entry = state.rules.get(id)
  if (pinned === undefined || !entry) return
  const key = versionKey(id, pinned)
  const count = state.pins.get(key) ?? 0
  state.pins.set(key, count + 1)
  if (count === 0 && !entry.versions.has(pinned)) state.lacking.add(key)
}

function unpin(state: RulebookState, { id, pinned }: Reference): void {
  if (pinned === undefined) return
  const key = versionKey(id, pinned)
  const count = state.pins.get(key) ?? 0
  if (count > 1) {
    state.pins.set(key, count - 1)
    return
  }
  if (count === 0) return
  state.pins.delete(key)
  state.lacking.delete(key)
  forgetRule(state, id, pinned)
}

/** Adds the text in its place, where it is not there yet. */
export function addSorted(texts: string[], text: string): void {
  const place = placeOf(texts, text)
  if (texts[place] === text) return
  // texts that are made one after the other mostly come in order
  if (place === texts.length) texts.push(text)
  else texts.splice(place, 0, text)
}

/** Removes the text, where it is there. */
export function removeSorted(texts: string[], text: string): void {
  const place = placeOf(texts, text)
  if (texts[place] === text) texts.splice(place, 1)
}

/** Of the first text that does not come before this one. */
function placeOf(texts: readonly string[], text: string): number {
  let [low, high] = [0, texts.length]
  if (high > 0 && (texts[high - 1] ?? '') < text) return high
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((texts[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}
