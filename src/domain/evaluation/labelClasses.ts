/** Declares what reported events mean, fraud or legitimate, and finds the class of one. */

import { closedObject, optional, type TypeOf } from '../jsonSchema.ts'
import { type Confidence, confidences, labelSchema } from './feedback.ts'

export const labelMeanings = ['fraud', 'legitimate'] as const
export type LabelMeaning = (typeof labelMeanings)[number]

/** Bounds what is looked through for each report. */
export const labelClassesMax = 50

export const labelClassSchema = closedObject('LabelClass', {
  label: {
    ...labelSchema,
    description:
      'A label, or the end of labels from a dot on: chargeback is payment.chargeback, too.',
  },
  confidences: optional({
    type: 'array',
    items: { type: 'string', enum: confidences },
    minItems: 1,
    uniqueItems: true,
    description: 'The confidences with which it has the class; all by default.',
  }),
  class: {
    type: 'string',
    enum: [...labelMeanings, 'none'],
    description: 'none: it has no class, whatever comes later in the list.',
  },
})
/** Gives events of a label a class. */
export type LabelClass = TypeOf<typeof labelClassSchema>

const sure = ['high', 'maximum'] as const

/** Those of an account that has set none: they fit the names that callers are told. */
export const defaultLabelClasses: readonly LabelClass[] = [
  { label: 'chargeback', class: 'fraud' },
  { label: 'fraud', confidences: sure, class: 'fraud' },
  { label: 'banned', confidences: sure, class: 'fraud' },
  { label: 'legitimate', confidences: sure, class: 'legitimate' },
]

/** The class of the first entry that fits; undefined for none. */
export function findLabelMeaning(
  classes: readonly LabelClass[],
  label: string,
  confidence: Confidence,
): LabelMeaning | undefined {
  const found = classes.find(
    (one) => isOfLabel(one.label, label) && (one.confidences?.includes(confidence) ?? true),
  )
  return found === undefined || found.class === 'none' ? undefined : found.class
}

function isOfLabel(end: string, label: string): boolean {
  if (!label.endsWith(end)) return false
  return label.length === end.length || label[label.length - end.length - 1] === '.'
}
