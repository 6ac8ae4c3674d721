/** Prints signals that were sent but not used, and the reason for each. */

import type { NotCountedReason } from '../../engine/run/evidence.ts'
import type { NotCountedView } from '../../queries/evaluation/evaluationView.ts'
import { type Paint, printable } from '../terminal/screen.ts'
import type { SentAnswer } from './answers.ts'

const because: Readonly<Record<NotCountedReason, string>> = {
  needs_dispatch: 'it counts only with a dispatch',
  dispatch_value_wins: 'the dispatch brought another value',
  trusted_user_not_agreed: 'it counts only where the operator has agreed to it',
  front_end_cannot_vouch: 'a front end cannot vouch for it',
  address_not_public: 'the address is not a public one',
  unknown_field: 'there is no such field',
}

/** An empty line, a heading and a line per signal; nothing when every signal was used or none is known. */
export function notCountedLines(
  signals: readonly NotCountedView[],
  paint: Paint,
): readonly string[] {
  if (signals.length === 0) return []
  return ['', 'Sent, not counted:', ...signals.map((signal) => paint('yellow', lineOf(signal)))]
}

function lineOf({ name, value, source, reason, suggestion }: NotCountedView): string {
  const sent = `${name} = ${JSON.stringify(value)}`
  const meant = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  return printable(`  ${sent}  in the ${source}, because ${reasonText(reason)}${meant}`)
}

/** The value sent under the name of a read, and why it was not used. */
export function sentText({ value, source, reason }: SentAnswer): string {
  return printable(`${JSON.stringify(value)} was sent in the ${source}, but ${reasonText(reason)}`)
}

/** A newer service may have a reason that this program does not know. */
function reasonText(reason: string): string {
  return Object.hasOwn(because, reason)
    ? because[reason as NotCountedReason]
    : `the service says ${reason}`
}
