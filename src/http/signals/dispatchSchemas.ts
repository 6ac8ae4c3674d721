/** A dispatch as it is recorded. */

import { answeredObject, type Schema, strictObject } from '../request/schema.ts'
import { deviceProperties } from './signalSchemas.ts'

export const dispatchInputSchema: Schema = {
  title: 'DispatchInput',
  ...strictObject(
    {
      dispatch_id: { type: 'string', minLength: 36, maxLength: 36 },
      signals: { title: 'DispatchSignals', ...strictObject(deviceProperties, []) },
    },
    ['dispatch_id', 'signals'],
  ),
}

export const dispatchSchema: Schema = answeredObject('Dispatch', {
  dispatch_id: { type: 'string' },
})
