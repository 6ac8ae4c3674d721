/** Takes over what ships with the product, and brings the managed rulebook into memory. */

import { installManagedSet } from '../../commands/rulebook/installManagedSet.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import { shippedSet } from '../../managed/shippedSet.ts'
import {
  carryOut,
  managedStream,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'

/** Namespace of the command ids under which sets are installed. */
const namespace = 'b54bb5a0-4f3f-5d0e-9b1c-6f5f7d0a2e93'

/** Must have ended before anything is decided or evaluated. On every start but the first after an update it only reads one stream. */
export async function openManagedSet(context: ServiceContext): Promise<void> {
  const handled = await carryOut(context, context.managed, {
    stream: managedStream,
    context: {
      account: managedAccount,
      actor: 'service',
      request: '',
      command: uuidV5(namespace, `set ${shippedSet.version}`),
      time: context.clock.nowMs(),
    },
    decide: installManagedSet(shippedSet),
  })
  if (handled.events.length > 0) await whenVisible(context, handled)
}
