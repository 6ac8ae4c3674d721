/** Opens what all tests of a file share, and closes it after them. */

import { afterAll } from 'vitest'
import type { Service } from '../../src/app/service.ts'
import { type Door, openDoor } from '../http/support/openDoor.ts'
import { openVigil, type Vigil } from './openVigil.ts'

export async function openVigilForFile(options?: Parameters<typeof openVigil>[0]): Promise<Vigil> {
  const vigil = await openVigil(options)
  afterAll(() => vigil.close())
  return vigil
}

export async function openDoorForFile(
  service: Service,
  options?: Parameters<typeof openDoor>[1],
): Promise<Door> {
  const door = await openDoor(service, options)
  afterAll(() => door.close())
  return door
}
