/** Opens what all tests of a file share, and closes it after them. */

import { afterAll } from 'vitest'
import type { Service } from '../../src/app/serviceContext.ts'
import { type Door, openDoor } from '../http/support/openDoor.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from './openVigil.ts'

export async function openVigilOfFile(options?: Parameters<typeof openVigil>[0]): Promise<Vigil> {
  const vigil = await openVigil(options)
  afterAll(() => vigil.close())
  return vigil
}

export async function openDoorOfFile(
  service: Service,
  options?: Parameters<typeof openDoor>[1],
): Promise<Door> {
  const door = await openDoor(service, options)
  afterAll(() => door.close())
  return door
}

/** A whole Vigil with one customer. */
export async function openShopOfFile(
  options?: Parameters<typeof openVigil>[0],
): Promise<{ readonly vigil: Vigil; readonly shop: Customer }> {
  const vigil = await openVigilOfFile(options)
  return { vigil, shop: await openCustomer(vigil) }
}
