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

/** A heading and a line for each signal, after an empty line; nothing when every signal counted or none of it is known. */
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

/** What was sent under the name of a read, and why it did not count. */
export function sentText({ value, source, reason }: SentAnswer): string {
  return printable(`${JSON.stringify(value)} was sent in the ${source}, but ${reasonText(reason)}`)
}

/** A newer service may have a reason that this program does not know. */
function reasonText(reason: string): string {
  return Object.hasOwn(because, reason)
    ? because[reason as NotCountedReason]
    : `the service says ${reason}`
}
