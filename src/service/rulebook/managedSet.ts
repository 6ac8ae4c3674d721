/** Takes over what ships with the product, and brings the managed rulebook into memory. */

import { installManagedSet } from '../../commands/rulebook/installManagedSet.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import { shippedSet } from '../../managed/shippedSet.ts'
import { carryOut, type House, managedStream, whenVisible } from '../opening/house.ts'

/** Namespace of the command ids under which sets are installed. */
const namespace = 'b54bb5a0-4f3f-5d0e-9b1c-6f5f7d0a2e93'

/** Must have ended before anything is decided or evaluated. On every start but the first after an update it only reads one stream. */
export async function openManagedSet(house: House): Promise<void> {
  const handled = await carryOut(house, house.managed, {
    stream: managedStream,
    context: {
      account: managedAccount,
      actor: 'service',
      request: '',
      command: uuidV5(namespace, `set ${shippedSet.version}`),
      time: house.clock.nowMs(),
    },
    decide: installManagedSet(shippedSet),
  })
  if (handled.events.length > 0) await whenVisible(house, handled)
}
