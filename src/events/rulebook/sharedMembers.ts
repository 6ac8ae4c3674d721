/** Places of rules in recipes, held once however many recipes say the same of a rule. */

import { weightOf } from '../../domain/weightOf.ts'
import type { Membership, RulebookState, RuleEntry } from './rulebook.ts'

/** Different places of one rule that are held to be shared; of more each recipe has its own. */
const sharedMax = 4

/** A place in a list. */
const placeBytes = 8

type Rules = Pick<RulebookState, 'rules' | 'bytes'>

/** The place, shared where the rule has one like it. */
export function sharedMember({ rules }: Pick<Rules, 'rules'>, member: Membership): Membership {
  const entry = rules.get(member.rule_id)
  return entry ? sharedIn(entry, member) : member
}

/** The places of a recipe, each as the rule has it already, or has it from now on. */
export function shareMembers(state: Rules, members: readonly Membership[]): readonly Membership[] {
  return members.map((member) => {
    const entry = state.rules.get(member.rule_id)
    if (!entry) return member
    const shared = sharedIn(entry, member)
    if (entry.places.length >= sharedMax || entry.places.includes(shared)) return shared
    // another list, since this one may be that of the rulebook of which this is a branch
    entry.places = [...entry.places, shared]
    state.bytes += placeBytes + weightOf(shared)
    return shared
  })
}

function sharedIn({ places }: RuleEntry, member: Membership): Membership {
  const [first] = places
  // its id at least is not held once more
  return (
    places.find((place) => isSame(place, member)) ??
    (first ? { ...member, rule_id: first.rule_id } : member)
  )
}

/** About how much memory the places of a recipe take beside what is shared. */
export function memberBytes(
  { rules }: Pick<Rules, 'rules'>,
  members: readonly Membership[],
): number {
  return members.reduce((sum, member) => {
    const isShared = rules.get(member.rule_id)?.places.includes(member)
    return sum + placeBytes + (isShared ? 0 : weightOf(member))
  }, 0)
}

function isSame(one: Membership, other: Membership): boolean {
  return (
    one.weight === other.weight &&
    one.preempts === other.preempts &&
    one.version_id === other.version_id
  )
}
