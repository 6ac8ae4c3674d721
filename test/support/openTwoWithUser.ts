/** Two instances, a customer of the first, and a user of an application of theirs. */

import { openTwoInstances } from './openTwoInstances.ts'
import { openCustomer } from './openVigil.ts'
import { newApp, newUser } from './startSession.ts'

export async function openTwoWithUser(
  options: Parameters<typeof openTwoInstances>[0] = {},
  app: object = {},
) {
  const two = await openTwoInstances(options)
  const customer = await openCustomer(two.a)
  const path = await newApp(customer, app)
  return { ...two, customer, app: path, user: await newUser(customer, path) }
}
