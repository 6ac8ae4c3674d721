/** Notes unknown fields of a request, which are never a reason to refuse it (spec 2.1). */

import { nearest } from '../../domain/nearest.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { Schema } from '../request/schema.ts'
import { signalsSchema } from '../signals/signalSchemas.ts'
import {
  evaluateRequestSchema,
  predictRequestSchema,
  targetSchema,
} from './evaluateRequestSchema.ts'

/** So many are noted of one request, and so many characters of the name and the value of each. */
const notedMax = 16
const nameMax = 64
const valueMax = 256

const parts = { target: targetSchema, signals: signalsSchema } as const

function namesOf(schema: Schema): ReadonlySet<string> {
  return new Set(Object.keys(schema['properties'] as object))
}

const knownIn = { target: namesOf(parts.target), signals: namesOf(parts.signals) }
const knownOfEvaluation = namesOf(evaluateRequestSchema)
const knownOfPrediction = namesOf(predictRequestSchema)

interface Sent {
  readonly target: object
  readonly signals?: object
}

/** What an evaluation, or a prediction, was sent that the service does not know, without empty texts. */
export function unknownFields(
  body: Sent,
  operation: 'evaluation' | 'prediction',
): readonly NotCounted[] {
  const noted: NotCounted[] = []
  const known = operation === 'evaluation' ? knownOfEvaluation : knownOfPrediction
  noteUnknown(noted, body, { under: '', known })
  noteUnknown(noted, body.target, { under: 'target.', known: knownIn.target })
  if (body.signals) noteUnknown(noted, body.signals, { under: 'signals.', known: knownIn.signals })
  return noted
}

interface Place {
  readonly under: string
  readonly known: ReadonlySet<string>
}

function noteUnknown(noted: NotCounted[], given: object, { under, known }: Place): void {
  for (const field of Object.keys(given)) {
    if (known.has(field)) continue
    const sent: unknown = given[field as keyof typeof given]
    if (sent === '' || noted.length >= notedMax) continue
    noted.push({
      name: `${under}${field}`.slice(0, nameMax),
      value: notedValue(sent),
      source: 'request',
      reason: 'unknown_field',
    })
  }
}

function notedValue(sent: unknown): NotCounted['value'] {
  if (typeof sent === 'boolean') return sent
  return (typeof sent === 'string' ? sent : JSON.stringify(sent)).slice(0, valueMax)
}

const everywhere = [
  ...new Set([...knownOfEvaluation, ...knownOfPrediction]),
  ...[...knownIn.target].map((field) => `target.${field}`),
  ...[...knownIn.signals].map((field) => `signals.${field}`),
]

/** The field that was most likely meant by an unknown one: the nearest beside it, else the one with the nearest name in another place. */
export function meantField(name: string): string | undefined {
  const place = placeOf(name)
  const beside = everywhere.filter((known) => placeOf(known) === place)
  return nearest(name, beside) ?? elsewhere(name.slice(place.length))
}

function elsewhere(field: string): string | undefined {
  const meant = nearest(
    field,
    everywhere.map((known) => known.slice(placeOf(known).length)),
  )
  return everywhere.find((known) => known.slice(placeOf(known).length) === meant)
}

/** What stands before the name of a field: `signals.`, or nothing. */
function placeOf(name: string): string {
  return name.slice(0, name.indexOf('.') + 1)
}
