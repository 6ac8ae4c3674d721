/** Lists the signal names that rules can read. */

import type { Call } from '../../domain/call.ts'
import {
  asSchemaOf,
  booleanSchema,
  openObject,
  type TypeOf,
  text,
} from '../../domain/jsonSchema.ts'
import { extNames, type ReadableName, readableNames } from '../../engine/language/readableNames.ts'
import { evidenceSources } from '../../engine/run/evidence.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'

/** A name that a rule can read, or, for callers' own, the form of such names. */
const signalSchema = openObject('ReadableSignal', {
  name: { type: 'string', description: 'In the form used in rules.' },
  type: asSchemaOf<ReadableName['type']>({ type: 'string', enum: ['bool', 'string', 'timestamp'] }),
  meaning: text,
  sources: {
    type: 'array',
    items: { type: 'string', enum: evidenceSources },
    description: 'Sources of its value, in order of precedence.',
  },
  needs_dispatch: booleanSchema,
})
export type SignalView = TypeOf<typeof signalSchema>

export const signalListSchema = openObject('SignalList', {
  signals: { type: 'array', items: signalSchema },
})

const signals: readonly SignalView[] = [...readableNames, extNames].map(
  ({ needsDispatch, ...name }) => ({ ...name, needs_dispatch: needsDispatch }),
)

/** Every name, in the order of the guide. Throws `access_not_enabled`. */
export async function listSignals(
  context: AccountStreams,
  call: Call,
): Promise<readonly SignalView[]> {
  await requireAuthoring(context, call)
  return signals
}
