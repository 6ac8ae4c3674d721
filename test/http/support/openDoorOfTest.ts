/** A door that is closed after its test, and what its metrics say of requests. */

import { onTestFinished } from 'vitest'
import { sampleOf } from '../../metrics/exposition.ts'
import { operatorToken } from './memoryService.ts'
import { openDoor } from './openDoor.ts'

export async function openDoorOfTest(...options: Parameters<typeof openDoor>) {
  const door = await openDoor(...options)
  onTestFinished(door.close)
  return {
    ...door,
    /**
     * The value of the metric of this name, without what all metrics of requests begin with; the question counts too.
     */
    metric: async (name: string, labels?: Readonly<Record<string, string>>) => {
      const { text } = await door.request('GET', '/metrics', { token: operatorToken })
      return sampleOf(text, `vigil_http_requests_${name}`, labels)
    },
  }
}
