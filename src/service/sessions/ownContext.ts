/** The context of events that a command brings about beside its own. */

import { uuidV7 } from '../../domain/uuid.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** With ids of its own, known by no key. */
export function ownContext(
  { clock, chance }: Pick<ServiceContext, 'clock' | 'chance'>,
  { account, actor, request, time }: EventContext,
): EventContext {
  return { account, actor, request, time, command: uuidV7(clock, chance) }
}
