/** A dispatch as it is recorded. */

import type { DispatchInput } from '../../service/signals/signalsPart.ts'
import { inputSchema, viewSchema } from '../request/fields.ts'
import type { Schema } from '../request/schema.ts'
import { deviceSignalsSchema } from './signalSchemas.ts'

export const dispatchInputSchema: Schema = inputSchema<DispatchInput>('DispatchInput', {
  dispatch_id: { type: 'string', minLength: 36, maxLength: 36 },
  signals: deviceSignalsSchema('DispatchSignals'),
})

export const dispatchSchema: Schema = viewSchema<Pick<DispatchInput, 'dispatch_id'>>('Dispatch', {
  dispatch_id: { type: 'string' },
})
