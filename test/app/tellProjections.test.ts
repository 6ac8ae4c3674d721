import { expect, test } from 'vitest'
import { openProjectionLogger } from '../../src/app/startReadModels.ts'
import { noOwnerStatus, otherOwnerStatus } from '../../src/projections/running/projectionState.ts'

test('every change of who runs the projections is one line, an error when nobody does', () => {
  const lines: string[] = []
  const note = (level: string) => (one: unknown, two?: unknown) => {
    const text = String(two ?? one)
    lines.push(`${level} ${text.slice(0, text.search(/[:.]/))}`)
  }
  const { onLeaseStatus } = openProjectionLogger({ info: note('info'), error: note('error') })
  const owner = { isOwner: true, fence: 3, isRunning: true }

  for (const leaseStatus of [
    noOwnerStatus,
    otherOwnerStatus,
    owner,
    otherOwnerStatus,
    noOwnerStatus,
    owner,
  ]) {
    onLeaseStatus?.(leaseStatus)
  }

  expect(lines).toEqual([
    'error No instance runs the projections',
    'info Another instance runs the projections again',
    'info This instance runs the projections',
    'info This instance does not run the projections any more',
    'error No instance runs the projections',
    'info This instance runs the projections',
  ])
})
