/** How rules and flows that were tried are shown. */

import type { FlowTestView, RuleTestView } from '../../service/evaluation/evaluationView.ts'
import { colourOf, type Paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import { treeLines } from '../terminal/tree.ts'
import { warningLines, warningsOf } from '../terminal/warningLines.ts'
import { conditionBranches, recipeTrees } from './explanationView.ts'
import { notCountedLines } from './notCountedView.ts'
import { hindrances } from './verdictView.ts'

/** The outcome with a tree of the rule's parts and of what it read, and what of the sample did not count. */
export function ruleTestLines(
  answer: RuleTestView,
  notes: readonly string[],
  paint: Paint,
): readonly string[] {
  const note = hindrances(answer).join(', ')
  const outcome = paint(colourOf(answer.outcome), printable(answer.outcome))
  return [
    ...treeLines({
      text: `${outcome}${note === '' ? '' : `  (${note})`}`,
      branches: conditionBranches(answer, paint),
    }),
    ...notCountedLines(answer.not_counted, paint),
    ...noteLines(notes, paint),
    ...warned(answer, paint),
  ]
}

/** The verdict, a tree for each recipe that ran, and what of the sample did not count. */
export function flowTestLines(
  { verdict, flow_id, flow_name, explanation, not_counted, ...answer }: FlowTestView,
  notes: readonly string[],
  paint: Paint,
): readonly string[] {
  const name = flow_name === undefined ? '' : `${paint('bold', printable(flow_name))}  `
  return [
    `${paint(colourOf(verdict), printable(verdict))}  ${name}${printable(flow_id)}  tried, not recorded`,
    ...recipeTrees(explanation, paint),
    ...(explanation.length === 0 ? ['', 'No recipe ran: none is LIVE or SHADOW.'] : []),
    ...notCountedLines(not_counted, paint),
    ...noteLines(notes, paint),
    ...warned(answer, paint),
  ]
}

function warned(answer: { readonly warnings?: unknown }, paint: Paint): readonly string[] {
  const lines = warningLines(warningsOf(answer), paint)
  return lines.length === 0 ? [] : ['', ...lines]
}

function noteLines(notes: readonly string[], paint: Paint): readonly string[] {
  if (notes.length === 0) return []
  return ['', ...notes.map((note) => paint('yellow', printable(note)))]
}
