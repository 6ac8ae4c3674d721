/** Opens the verification part of the service. */

import type { ServiceContext } from '../opening/serviceContext.ts'
import { openSenderIds } from './senderIds.ts'
import { openTemplates } from './templates.ts'
import type { VerificationPart } from './verificationPart.ts'

export function openVerificationPart(context: ServiceContext): VerificationPart {
  return { senderIds: openSenderIds(context), templates: openTemplates(context) }
}
