/** Declares `vigil rules report`: what each rule did, and how it agrees with labels. */

import { type LabelMeaning, labelMeanings } from '../../domain/evaluation/labelClasses.ts'
import type { RulesReport } from '../../queries/analysis/rulesReport.ts'
import type { Share } from '../../queries/analysis/shares.ts'
import { type CommandDefinition, fillFields } from '../connecting/commandDefinition.ts'
import { escapeControls, type Screen } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'
import { checkTimes, flowScanFields, flowScanOptions, formatSpan, scan } from './scanCommands.ts'

type Rule = RulesReport['rules'][number]

const right = { align: 'right' } as const
const name = { cell: (one: Rule) => nameOf(one), narrow: 'cut', widthMax: 48 } as const

const outcomeColumns: ItemColumns<Rule> = {
  RULE: name,
  STATUS: 'status',
  VERSION: ({ version_id }) => version_id ?? '',
  FIRED: { cell: ({ fired }) => String(sum(fired)), ...right },
  'NOT FIRED': { cell: ({ not_fired }) => String(sum(not_fired)), ...right },
  'NOT EVALUATED': { cell: 'not_evaluated', ...right },
  SKIPPED: { cell: 'skipped', ...right },
  UNAVAILABLE: { cell: 'unavailable', ...right },
  FIRES: ({ fires }) => (fires === 'sometimes' || fires === null ? '' : fires),
  MISSING: {
    cell: ({ missing }) => missing.map((one) => `${one.name} ${one.evaluations}`).join(', '),
    narrow: 'wrap',
    optional: true,
  },
}

const labelColumns = (labelClass: LabelMeaning): ItemColumns<Rule> => ({
  RULE: name,
  STATUS: 'status',
  [labelClass.toUpperCase()]: { cell: ({ fired }) => String(fired[labelClass]), ...right },
  'FALSE POSITIVES': { cell: 'false_positives', ...right },
  UNLABELLED: { cell: ({ fired }) => String(fired.unlabelled), ...right },
  PRECISION: { cell: ({ precision }) => formatPercent(precision), ...right },
  RECALL: { cell: ({ recall }) => formatPercent(recall), ...right },
  LIFT: { cell: ({ lift }) => formatShare(lift, (value) => value.toFixed(2)), ...right },
  ALONE: {
    cell: ({ alone }) => `${sum(alone)} (${alone[labelClass]} ${labelClass})`,
    ...right,
  },
  'CONTAINED IN': {
    cell: ({ contained_in }) => (contained_in ? nameOf(contained_in) : ''),
    narrow: 'cut',
    widthMax: 48,
    optional: true,
  },
})

export const rulesReportCommand: CommandDefinition = {
  summary: 'Report what each rule did, and its precision, recall and lift against labels.',
  example: '--flow Signup --from 7d',
  options: {
    ...flowScanOptions,
    '--label-class <class>': {
      description: 'the class that the rules are meant to find',
      choices: labelMeanings,
      default: 'fraud',
    },
  },
  check: checkTimes,
  run: async (invocation) => {
    const query = fillFields({ ...flowScanFields, label_class: '--label-class' }, invocation.given)
    const found = await scan<RulesReport>(invocation, '/v2/watch/rules/report', query)
    invocation.print(found, () => formatReport(found, invocation.screen))
    return undefined
  },
}

function formatReport(found: RulesReport, screen: Screen): readonly string[] {
  const { rules, label_class, evaluations, truncated } = found
  const { fraud, legitimate, unlabelled } = evaluations
  return [
    formatSpan(found, sum(evaluations)),
    `Labelled fraud: ${fraud}, legitimate: ${legitimate}; unlabelled: ${unlabelled}`,
    '',
    ...(rules.length === 0
      ? ['No rule ran.']
      : [
          ...formatItemTable(outcomeColumns, rules, screen),
          '',
          `Against the label class ${label_class}, with 95% intervals; - where no label says it:`,
          ...formatItemTable(labelColumns(label_class as LabelMeaning), rules, screen),
        ]),
    ...(truncated ? ['', 'Too many rules and versions ran: some are left out.'] : []),
  ]
}

function nameOf(rule: { readonly rule_id: string; readonly name?: string }): string {
  return escapeControls(rule.name ?? rule.rule_id)
}

function sum({ fraud, legitimate, unlabelled }: Rule['fired']): number {
  return fraud + legitimate + unlabelled
}

function formatPercent(share: Share | null): string {
  return formatShare(share, (value) => `${(100 * value).toFixed(1)}%`)
}

function formatShare(share: Share | null, format: (value: number) => string): string {
  return share === null
    ? '-'
    : `${format(share.value)} (${format(share.low)} to ${format(share.high)})`
}
