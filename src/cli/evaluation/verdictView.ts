/** Formats the verdict of an evaluation, a table per recipe, and the unused signals. */

import type { NotCountedReason } from '../../engine/run/evidence.ts'
import type {
  EvaluationView,
  ExplainedRecipeView,
  NotCountedView,
} from '../../queries/evaluation/evaluationView.ts'
import { chooseColour, escapeControls, type Paint, type Screen } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'

export type PrintedRule = ExplainedRecipeView['rules'][number]
export type PrintedRead = NonNullable<PrintedRule['reads']>[number]
export type PrintedCounter = NonNullable<PrintedRule['counters']>[number]
/** A sub-expression and its value. */
export type PrintedSubexpression = NonNullable<PrintedRule['parts']>
/** A signal that was sent but not used. */
export type UnusedSignal = Omit<NotCountedView, 'name' | 'suggestion'>

/** Only an explanation says whether the recipe is live. */
export type PrintedRecipe = Omit<ExplainedRecipeView, 'status'> &
  Partial<Pick<ExplainedRecipeView, 'status'>>

/** The printed fields of a verdict; names and unused signals exist only in records, and not all in old ones. */
export interface PrintedVerdict
  extends Pick<EvaluationView, 'id' | 'verdict'>,
    Partial<Pick<EvaluationView, 'flow_name' | 'not_counted'>> {
  readonly recipes: readonly PrintedRecipe[]
}

const buildRuleColumns = (recipe: PrintedRecipe): ItemColumns<PrintedRule> => ({
  OUTCOME: { cell: 'outcome', coloured: true },
  WEIGHT: { cell: 'weight', align: 'right' },
  RULE: { cell: formatRuleName, widthMax: 120, narrow: 'wrap' },
  NOTE: { cell: (rule) => formatRuleNote(rule, recipe), narrow: 'wrap' },
})

/** The verdict, the result of every rule, and unused signals, as far as the answer contains them. */
export function formatVerdict(answer: PrintedVerdict, screen: Screen): readonly string[] {
  const { paint } = screen
  const { recipes, not_counted = [] } = answer
  const indented = { paint, width: Math.max(1, screen.width - 2) }
  return [
    formatVerdictLine(answer, paint),
    ...recipes.flatMap((recipe) => [
      '',
      formatRecipeLine(recipe, paint),
      ...formatItemTable(buildRuleColumns(recipe), recipe.rules, indented).map(
        (line) => `  ${line}`,
      ),
    ]),
    ...(recipes.length === 0 ? ['', 'No recipe of the flow is live.'] : []),
    ...('forgotten' in not_counted ? [] : formatUnusedSignals(not_counted, paint)),
  ]
}

/** Verdict, id and, where it is known, the name of the flow. */
export function formatVerdictLine(
  { verdict, id, flow_name }: PrintedVerdict,
  paint: Paint,
): string {
  const flow = flow_name === undefined ? '' : `  ${paint('bold', flow_name)}`
  return `${paint(chooseColour(verdict), verdict)}  ${escapeControls(id)}${flow}`
}

export function formatRecipeLine(recipe: PrintedRecipe, paint: Paint): string {
  const { name, status, score, threshold, partial_evidence } = recipe
  const notes = [
    ...(partial_evidence ? ['partial evidence'] : []),
    ...listDecidingRules(recipe).map((rule) => `determined by ${escapeControls(rule)}`),
  ]
  return [
    ...(name === undefined ? [] : [paint('bold', name)]),
    escapeControls(recipe.recipe_id),
    ...(status === undefined ? [] : [escapeControls(status)]),
    paint(chooseColour(recipe.verdict), recipe.verdict),
    [`score ${score} of threshold ${threshold}`, ...notes].join(', '),
  ].join('  ')
}

/** The name of the rule that decided instead of the score; empty when the score decided. */
export function listDecidingRules({ determined_by, rules }: PrintedRecipe): readonly string[] {
  if (determined_by === undefined) return []
  const rule = rules.find(({ rule_id }) => rule_id === determined_by)
  return [rule ? formatRuleName(rule) : determined_by]
}

/** The name of a rule; a managed one shows none, and is called by its description where that is known. */
export function formatRuleName({ name, type, description, rule_id }: PrintedRule): string {
  if (type !== 'MANAGED') return escapeControls(name ?? rule_id)
  return escapeControls(
    description === undefined ? `managed ${rule_id}` : `${description} (managed ${rule_id})`,
  )
}

/** Why the rule did not run, or what it decided. */
export function formatRuleNote(rule: PrintedRule, recipe: PrintedRecipe): string {
  return [
    ...listObstacles(rule),
    ...(rule.outcome === 'SKIPPED' ? ['the verdict was set before'] : []),
    ...(recipe.determined_by === rule.rule_id ? ['set the verdict'] : []),
  ].join(', ')
}

/** Why the rule did not run. */
export function listObstacles(
  rule: Pick<PrintedRule, 'blocked_by' | 'unavailable' | 'problem'>,
): readonly string[] {
  const { blocked_by, unavailable, problem } = rule
  // what a managed rule needs is not disclosed (spec 2.6)
  const need = blocked_by === 'missing_data' ? 'data that did not arrive' : blocked_by
  return [
    ...(need === undefined ? [] : [`${problem ? 'failed on' : 'needs'} ${escapeControls(need)}`]),
    ...(unavailable ? ['could not run, for a reason on the service’s side'] : []),
  ]
}

const because: Readonly<Record<NotCountedReason, string>> = {
  needs_dispatch: 'it counts only with a dispatch',
  dispatch_value_wins: 'the dispatch brought another value',
  trusted_user_not_agreed: 'it counts only where the operator has agreed to it',
  front_end_cannot_vouch: 'a front end cannot vouch for it',
  address_not_public: 'the address is not a public one',
  unknown_field: 'there is no such field',
}

/** An empty line, a heading and a line per signal; nothing when every signal was used or none is known. */
export function formatUnusedSignals(
  signals: readonly NotCountedView[],
  paint: Paint,
): readonly string[] {
  const lines = signals.map(({ name, value, source, reason, suggestion }) => {
    const sent = `${name} = ${JSON.stringify(value)}`
    const meant = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
    return paint(
      'yellow',
      `  ${sent}  in the ${source}, because ${formatNotCountedReason(reason)}${meant}`,
    )
  })
  return lines.length === 0 ? [] : ['', 'Sent, not counted:', ...lines]
}

/** The value sent under the name of a read, and why it was not used. */
export function formatUnusedSignal({ value, source, reason }: UnusedSignal): string {
  return escapeControls(
    `${JSON.stringify(value)} was sent in the ${source}, but ${formatNotCountedReason(reason)}`,
  )
}

/** A newer service may have a reason that this program does not know. */
function formatNotCountedReason(reason: string): string {
  return Object.hasOwn(because, reason)
    ? because[reason as NotCountedReason]
    : `the service says ${reason}`
}
