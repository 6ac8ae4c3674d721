/** Formats a recorded evaluation: verdict, reasons, and a tree per recipe of the values read. */

import { distinctMax } from '../../engine/language/counters.ts'
import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import {
  chooseColour,
  escapeControls,
  formatJsonOnLine,
  formatPersonal,
  type Paint,
} from '../terminal/screen.ts'
import {
  formatRecipeLine,
  formatRuleName,
  formatRuleNote,
  formatUnusedSignal,
  formatUnusedSignals,
  formatVerdictLine,
  listDecidingRules,
  listObstacles,
  type PrintedCounter,
  type PrintedRead,
  type PrintedRecipe,
  type PrintedRule,
  type PrintedSubexpression,
} from './verdictView.ts'

/** A line and its child branches. */
interface Branch {
  readonly text: string
  readonly branches?: readonly Branch[]
}

/** The lines of the tree, one per branch. */
export function formatTree({ text, branches = [] }: Branch): readonly string[] {
  const below = branches.flatMap((branch, index) => {
    const [first, other] = index === branches.length - 1 ? ['└─', '  '] : ['├─', '│ ']
    return formatTree(branch).map((line, at) => `${at === 0 ? first : other} ${line}`)
  })
  return [text, ...below]
}

/** Sources of values; others of a newer service are printed unchanged. */
const sourceWords = new Map([
  ['dispatch', 'the dispatch'],
  ['request', 'the request'],
  ['user_agent', 'the user agent'],
  ['list', 'the account’s lists'],
  ['counter', 'the account’s counters'],
  ['service', 'the service'],
])

/** States of the dispatch; others of a newer service are printed unchanged. */
const dispatchWords = new Map([
  ['none', 'none named'],
  ['found', 'named, and known'],
  ['expired', 'named, and known, but too old by then: no signals'],
  ['unknown', 'named, but not known: no signals'],
])

const reasonsMax = 5

interface Shown {
  readonly paint: Paint
  /** Whether to print versions, position and hash. */
  readonly verbose: boolean
}

/** The lines of a recorded evaluation and its explanation. */
export function formatExplanation(
  answer: EvaluationView,
  { paint, verbose }: Shown,
): readonly string[] {
  const { not_counted = [] } = answer
  const recipes = listExplainedRecipes(answer)
  const live = recipes.filter(({ status }) => status === 'LIVE')
  return [
    formatVerdictLine(answer, paint),
    ...live.map((recipe) => formatRecipeReason(recipe, paint)),
    ...(live.length === 0 ? ['  No recipe of the flow is live.'] : []),
    formatFact('evaluated', answer.evaluated_at, paint),
    formatFact('dispatch', dispatchWords.get(answer.dispatch) ?? answer.dispatch, paint),
    ...formatRecipeTrees(recipes, paint),
    ...('forgotten' in not_counted ? [] : formatUnusedSignals(not_counted, paint)),
    ...('forgotten' in answer.explanation
      ? ['', 'The evidence has been erased with the person it was about; the outcomes remain.']
      : []),
    ...(verbose ? formatRecord(answer, paint) : []),
  ]
}

function formatRecord(answer: EvaluationView, paint: Paint): readonly string[] {
  const { flow_id, flow_version_id, position, counted_to, semantics_version, result_hash } = answer
  return [
    '',
    'Record:',
    formatFact('flow', `${flow_id}  version ${flow_version_id}`, paint),
    formatFact('position', `${position}, semantics ${semantics_version}`, paint),
    ...(counted_to === undefined ? [] : [formatFact('counted', `to ${counted_to}`, paint)]),
    formatFact('result', `sha256 ${result_hash}`, paint),
  ]
}

function formatFact(name: string, text: string, paint: Paint): string {
  return paint('dim', `  ${name.padEnd(10)}${text}`)
}

/** What decided the verdict of a recipe, and what was missing. */
function formatRecipeReason(recipe: PrintedRecipe, paint: Paint): string {
  const { name, recipe_id, verdict, score, threshold, score_bounds, fragile, rules } = recipe
  const deciding = listDecidingRules(recipe)
  const counted = rules.filter(({ outcome, weight }) => outcome === 'TRIGGERED' && weight !== 0)
  const heaviest = counted.toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
  const triggered = joinFirst(heaviest.map((rule) => `${formatRuleName(rule)} (${rule.weight})`))
  const lacking = rules.filter(({ outcome }) => outcome === 'NOT_EVALUATED')
  const missing = joinFirst(
    lacking.map((rule) => `${formatRuleName(rule)} (${listObstacles(rule).join()})`),
  )
  const because =
    deciding.length > 0
      ? `determined by ${deciding.join()}`
      : `score ${score} of threshold ${threshold}${triggered && `: ${triggered}`}`
  const open = [
    ...(score_bounds ? [`the score could be ${score_bounds.min} to ${score_bounds.max}`] : []),
    ...(fragile ? ['fragile: that could turn the verdict'] : []),
  ].map((part) => `, ${part}`)
  const wants = missing && paint('yellow', `; not evaluated: ${missing}${open.join('')}`)
  return `  ${paint(chooseColour(verdict), verdict)}  ${escapeControls(name ?? recipe_id)}: ${because}${wants}`
}

/** The first few in one text, with how many more there are. */
function joinFirst(texts: readonly string[]): string {
  const more = texts.length - reasonsMax
  return texts.slice(0, reasonsMax).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** The explained recipes; those of the answer when the evidence was erased. */
function listExplainedRecipes({ explanation, recipes, shadow_recipes }: EvaluationView) {
  if (!('forgotten' in explanation)) return explanation
  const as = (status: 'LIVE' | 'SHADOW') => (recipe: PrintedRecipe) => ({ ...recipe, status })
  return [...recipes.map(as('LIVE')), ...shadow_recipes.map(as('SHADOW'))]
}

/** A tree for each recipe, an empty line before it. */
export function formatRecipeTrees(
  recipes: readonly PrintedRecipe[],
  paint: Paint,
): readonly string[] {
  return recipes.flatMap((recipe) => {
    const branches = recipe.rules.map((rule) => buildRuleBranch(rule, recipe, paint))
    return ['', ...formatTree({ text: formatRecipeLine(recipe, paint), branches })]
  })
}

function buildRuleBranch(rule: PrintedRule, recipe: PrintedRecipe, paint: Paint): Branch {
  const note = formatRuleNote(rule, recipe)
  const outcome = paint(chooseColour(rule.outcome), rule.outcome)
  return {
    text: `${outcome}  ${formatRuleName(rule)}  weight ${rule.weight}${note && `  (${note})`}`,
    branches: buildConditionBranches(rule, paint),
  }
}

/** The condition with its known sub-expressions, and the values it read. */
export function buildConditionBranches(
  rule: Pick<PrintedRule, 'expression' | 'reads' | 'counters' | 'parts' | 'problem'>,
  paint: Paint,
): readonly Branch[] {
  const { expression, reads = [], counters = [], parts, problem } = rule
  const plain = expression === undefined ? [] : [{ text: paint('cyan', expression) }]
  const failed = problem && paint('yellow', escapeControls(formatPersonal(problem)))
  return [
    ...(failed ? [{ text: failed }] : []),
    ...(parts?.parts ? [buildPartBranch(parts, paint)] : plain),
    ...reads.map((read) => ({ text: formatRead(read, paint) })),
    ...counters.map((counter) => ({ text: formatCounter(counter, paint) })),
  ]
}

function buildPartBranch(
  { text, state, value, needed, parts = [] }: PrintedSubexpression,
  paint: Paint,
): Branch {
  const gave =
    state === 'value' ? `= ${formatJsonOnLine(value)}` : paint('dim', state.replaceAll('_', ' '))
  return {
    text: `${escapeControls(text)}  ${gave}${needed === false ? paint('dim', '  (not needed)') : ''}`,
    // the value of a literal is its text
    branches: parts.filter((part) => !isLiteral(part)).map((part) => buildPartBranch(part, paint)),
  }
}

/** Why a counter has no value; reasons of a newer service are printed unchanged. */
const reasonWords = new Map([
  ['behind', 'no value: the counters are more than a second behind'],
  ['warming', 'no value yet: it is kept for less than its window'],
  ['too_large', 'no value: the sum is beyond 2^53 - 1'],
  ['not_kept', 'no value: no published rule has it'],
  ['imported', 'no value: counters are not read for what is recorded later'],
])

/** The value of a counter, and of the parts of its key. */
function formatCounter(counter: PrintedCounter, paint: Paint): string {
  const { name, key, value, left_out, reason } = counter
  const parts = key.map((part) =>
    part.value === undefined
      ? `${escapeControls(part.name)} did not arrive`
      : `${escapeControls(part.name)} ${formatJsonOnLine(part.value)}`,
  )
  const without = reason === undefined ? 'no value' : (reasonWords.get(reason) ?? reason)
  const more = name.startsWith('distinct(') && Number(value) > distinctMax ? ' or more' : ''
  const found =
    value === undefined ? `  ${paint('yellow', without)}` : ` = ${formatJsonOnLine(value)}${more}`
  const left = left_out === undefined ? '' : `, ${left_out} left out as no integers`
  return `${escapeControls(name)}${found}${left}  ${paint('dim', `of ${parts.join(', ')}`)}`
}

function isLiteral({ text }: PrintedSubexpression): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What was read, its source or why it has no value, and what was sent under its name and did not count. */
function formatRead(read: PrintedRead, paint: Paint): string {
  const { name, use, convert, needed, value, arrived, source = '?', not_counted = [] } = read
  const converted = convert === undefined ? name : `${convert}(${name})`
  const asked = escapeControls(use === 'has' ? `has(${converted})` : converted)
  const spare = needed === false ? paint('dim', '  (not needed)') : ''
  const unused = not_counted.map(formatUnusedSignal).join('; ')
  if (!arrived && value === undefined) {
    const found = `did not arrive${unused && `: ${unused}`}`
    return `${asked}  ${paint(needed === false ? 'dim' : 'yellow', found)}${spare}`
  }
  // the explanation is longer than all its values may be
  if (value === undefined) return `${asked}  arrived${spare}`
  const from = paint('dim', `from ${sourceWords.get(source) ?? source}`)
  const note = arrived ? '' : `  ${paint('yellow', `cannot be read as ${convert}`)}`
  const sent = paint('yellow', unused && `; ${unused}`)
  return `${asked} = ${formatJsonOnLine(value)}  ${from}${note}${sent}${spare}`
}
