/** Warnings, as answers carry them. */

import { type Warning, warningCodes } from '../../domain/warning.ts'
import { optional, viewSchema } from './fields.ts'

const warning = viewSchema<Warning>('Warning', {
  code: { type: 'string', enum: warningCodes },
  message: { type: 'string' },
  path: { type: 'string', description: 'The field that the warning is about.' },
})

/** A member of an answer that is there only when there is something to warn of. */
export const warningsMember = optional({
  type: 'array',
  items: warning,
  description: 'What is probably not what was meant; it was done all the same.',
})
