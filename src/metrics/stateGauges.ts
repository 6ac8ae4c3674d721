/** Exposes gauges of stores, projections, leases and sealing keys. */

import { Gauge, type Registry } from 'prom-client'

export interface ServiceState {
  readonly stores: Readonly<Record<string, 'ok' | 'failing'>>
  readonly projections: readonly {
    readonly name: string
    readonly version: number
    readonly position: number
    /** Absent when the log does not answer. */
    readonly lag_seconds?: number
    readonly status: 'live' | 'catching_up' | 'failing'
    readonly parked: number
  }[]
  /** Whether this instance runs the projections, under which lease, and whether any instance reports that it does. */
  readonly leaseStatus: {
    readonly isOwner: boolean
    readonly fence: number | undefined
    readonly isRunning: boolean
  }
}

/** Opens the gauges in the registry, those of the stores and the projections in `ofState` too. */
export function openStateGauges(all: Registry, ofState: Registry) {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `vigil_${name}`, help, labelNames, registers: [all, ofState] })
  const keys = new Gauge({
    name: 'vigil_sealing_keys_ready',
    help: 'Sealing keys on disk that belong to nobody yet; without one, no new person can be recorded.',
    registers: [all],
  })
  const stores = gauge('store_up', '1 when the store answers, 0 when it does not.', ['store'])
  const isOwner = gauge(
    'projections_held',
    '1 when the projections run in this instance, 0 when it watches another one.',
  )
  const isRunning = gauge(
    'projections_heard',
    '1 when an instance is heard to run the projections, this one or another, 0 when nobody does.',
  )
  const fence = gauge(
    'projections_fence',
    'The number of the lease under which the projections run here, 0 when they do not: it rises whenever it is given.',
  )

  const ofProjection = (name: string, help: string) =>
    gauge(`projection_${name}`, help, ['projection', 'version'])
  const lag = ofProjection(
    'lag_seconds',
    'For how long the first event has waited that is yet to be handled.',
  )
  const position = ofProjection('position', 'Position of the last event handled.')
  const parked = ofProjection(
    'parked_events',
    'Events parked because they, or an earlier one, failed.',
  )
  const live = ofProjection('live', '1 when the projection is live, 0 when it catches up or fails.')
  const failing = ofProjection('failing', '1 when something keeps the projection from going on.')

  const showProjections = (projections: ServiceState['projections']): void => {
    // removes the series of versions that were dropped
    for (const one of [lag, position, parked, live, failing]) one.reset()
    for (const { name, version, ...state } of projections) {
      const labels = { projection: name, version: String(version) }
      if (state.lag_seconds !== undefined) lag.set(labels, state.lag_seconds)
      position.set(labels, state.position)
      parked.set(labels, state.parked)
      live.set(labels, Number(state.status === 'live'))
      failing.set(labels, Number(state.status === 'failing'))
    }
  }
  return {
    show: ({ stores: health, projections, leaseStatus }: ServiceState): void => {
      for (const [store, status] of Object.entries(health)) {
        stores.set({ store }, Number(status === 'ok'))
      }
      isOwner.set(Number(leaseStatus.isOwner))
      isRunning.set(Number(leaseStatus.isRunning))
      fence.set(leaseStatus.fence ?? 0)
      showProjections(projections)
    },
    /** Sets the number of unused keys on disk. */
    showKeys: (ready: number): void => keys.set(ready),
  }
}
