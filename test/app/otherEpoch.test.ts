import { expect, test } from 'vitest'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { newAppend } from '../stores/support/newEvents.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { openVigil } from '../support/openVigil.ts'

test('given a log that a development version made, when a service opens it, then it is refused with what to do', async () => {
  const folder = temporaryFolder()
  const events = await openEmbeddedEventStore({ folder })
  await events.append(newAppend('account-1', 'no_stream', 'x'))
  await events.close()

  await expect(openVigil({ folder })).rejects.toThrow(
    /made by a development version of Vigil\. Start with an empty folder/,
  )
})
