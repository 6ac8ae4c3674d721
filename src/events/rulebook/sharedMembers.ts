/** Places of rules in recipes, held once however many recipes say the same of a rule. */

import { weightOf } from '../../domain/weightOf.ts'
import type { Membership, RulebookState, RuleEntry } from './rulebook.ts'

/** Different places of one rule that are held to be shared; of more each recipe has its own. */
const sharedMax = 4

/** A place in a list. */
const placeBytes = 8

type Rules = Pick<RulebookState, 'rules' | 'bytes'>

/** The place as the rule has it already, for whoever says the same of it; undefined when it has none like it. */
function known({ places }: RuleEntry, member: Membership): Membership | undefined {
  return places.find((place) => isSame(place, member))
}

/** The place, shared where the rule has one like it. */
export function sharedMember({ rules }: Pick<Rules, 'rules'>, member: Membership): Membership {
  const entry = rules.get(member.rule_id)
  if (!entry) return member
  const [first] = entry.places
  // its id at least is not held once more
  return known(entry, member) ?? (first ? { ...member, rule_id: first.rule_id } : member)
}

/** The places of a recipe, each as the rule has it already, or has it from now on. */
export function shareMembers(state: Rules, members: readonly Membership[]): readonly Membership[] {
  return members.map((member) => {
    const entry = state.rules.get(member.rule_id)
    if (entry && entry.places.length < sharedMax && !known(entry, member)) {
      // another list, since this one may be that of the rulebook of which this is a branch
      entry.places = [...entry.places, member]
      state.bytes += placeBytes + weightOf(member)
    }
    return sharedMember(state, member)
  })
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
