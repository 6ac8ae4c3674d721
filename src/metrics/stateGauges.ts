/** Shows the current state of stores, projections, leases and sealing keys as gauges. */

import { Gauge, type Registry } from 'prom-client'

export interface ServiceState {
  readonly stores: Readonly<Record<string, 'ok' | 'failing'>>
  readonly projections: readonly {
    readonly name: string
    readonly version: number
    readonly position: number
    /** Unknown when the log does not answer. */
    readonly lag_seconds?: number
    readonly status: 'live' | 'catching_up' | 'failing'
    readonly parked: number
  }[]
  /** Whether the projections run in this instance, under which lease, and whether any instance is heard to run them. */
  readonly holding: {
    readonly held: boolean
    readonly fence: number | undefined
    readonly heard: boolean
  }
}

interface StateGauges {
  readonly show: (state: ServiceState) => void
  /** How many keys are on disk and belong to nobody yet. */
  readonly showKeys: (ready: number) => void
}

/** Opens the gauges in the registry, those of the stores and the projections in `ofState` too. */
export function openStateGauges(all: Registry, ofState: Registry): StateGauges {
  const registries = [all, ofState]
  const stores = gauge(registries, ['store'], {
    name: 'vigil_store_up',
    help: '1 when the store answers, 0 when it does not.',
  })
  const keys = gauge([all], [], {
    name: 'vigil_sealing_keys_ready',
    help: 'Sealing keys on disk that belong to nobody yet; without one, no new person can be recorded.',
  })
  const held = gauge(registries, [], {
    name: 'vigil_projections_held',
    help: '1 when the projections run in this instance, 0 when it watches another one.',
  })
  const heard = gauge(registries, [], {
    name: 'vigil_projections_heard',
    help: '1 when an instance is heard to run the projections, this one or another, 0 when nobody does.',
  })
  const fence = gauge(registries, [], {
    name: 'vigil_projections_fence',
    help: 'The number of the lease under which the projections run here, 0 when they do not: it rises whenever it is given.',
  })
  const showProjections = openProjectionGauges(registries)
  const show = ({ stores: health, projections, holding }: ServiceState): void => {
    for (const [store, status] of Object.entries(health)) {
      stores.set({ store }, status === 'ok' ? 1 : 0)
    }
    held.set(Number(holding.held))
    heard.set(Number(holding.heard))
    fence.set(holding.fence ?? 0)
    showProjections(projections)
  }
  return { show, showKeys: (ready) => keys.set(ready) }
}

function openProjectionGauges(registries: Registry[]) {
  const of = (name: string, help: string) =>
    gauge(registries, ['projection', 'version'], { name: `vigil_projection_${name}`, help })
  const lag = of(
    'lag_seconds',
    'For how long the first event has waited that is yet to be handled.',
  )
  const position = of('position', 'Position of the last event handled.')
  const parked = of('parked_events', 'Events set aside because they, or one before them, failed.')
  const live = of('live', '1 when the projection is live, 0 when it catches up or fails.')
  const failing = of('failing', '1 when something keeps the projection from going on.')
  const all = [lag, position, parked, live, failing]

  return (projections: ServiceState['projections']): void => {
    // a version that was dropped is not to stay behind
    for (const one of all) one.reset()
    for (const { name, version, ...state } of projections) {
      const labels = { projection: name, version: String(version) }
      if (state.lag_seconds !== undefined) lag.set(labels, state.lag_seconds)
      position.set(labels, state.position)
      parked.set(labels, state.parked)
      live.set(labels, Number(state.status === 'live'))
      failing.set(labels, Number(state.status === 'failing'))
    }
  }
}

interface Named {
  readonly name: string
  readonly help: string
}

function gauge<Label extends string>(
  registers: Registry[],
  labelNames: readonly Label[],
  { name, help }: Named,
): Gauge<Label> {
  return new Gauge({ name, help, labelNames, registers })
}
