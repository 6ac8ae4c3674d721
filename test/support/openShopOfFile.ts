import { afterAll } from 'vitest'
import { type Customer, openCustomer, openVigil, type Vigil } from './openVigil.ts'

/** A whole Vigil with one customer, for all tests of the file that asks for it; closed after the last. */
export async function openShopOfFile(): Promise<{
  readonly vigil: Vigil
  readonly shop: Customer
}> {
  const vigil = await openVigil()
  afterAll(() => vigil.close())
  return { vigil, shop: await openCustomer(vigil) }
}
