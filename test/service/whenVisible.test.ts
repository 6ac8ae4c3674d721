import { expect, test } from 'vitest'
import { type ServiceContext, whenVisible } from '../../src/service/opening/serviceContext.ts'

test('whoever waits until what was written can be read lets go first of what the door holds', async () => {
  const order: string[] = []
  const waitFor = async (position: number) => {
    order.push(`waits for ${position}`)
    return true
  }
  const context = { projections: { waitFor } } as unknown as ServiceContext
  const call = { letGo: () => order.push('lets go') }

  const written = await whenVisible(context, call, { position: 7 })

  expect(written).toMatchObject({ position: 7, visible: true })
  expect(order).toEqual(['lets go', 'waits for 7'])
})
