/** Preloaded into a service that is measured: its projection of counts handles no event. */

import { register } from 'node:module'

const hooks = `
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (!url.endsWith('/dist/projections/analysis/counts.js')) return loaded
  const source = String(loaded.source)
  const without = source.replace("eventTypes: ['FlowEvaluated']", 'eventTypes: []')
  if (without === source) throw new Error('the projection of counts is written otherwise')
  return { ...loaded, source: without }
}`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)
