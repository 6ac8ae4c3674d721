/** Runs in a page before its own code, and notes when it painted, what moved, and how long who uses it waited. */

const pending = '.check[data-state="checking"], .explorer > [aria-busy="true"]'
const patienceMs = 120_000

const read = { lcpMs: 0, shifts: [], interactions: {}, waitsMs: [], rowsMax: 0 }
globalThis.pageTimes = {
  read,
  /** Resolves once so many answers to input have been painted. */
  answered: (count) => follow(() => read.waitsMs.length >= count),
  /** Resolves once nothing is awaited any more. */
  settled: () =>
    follow(() => document.querySelector('main') && !document.querySelector(`.loading, ${pending}`)),
}

observe('largest-contentful-paint', ({ startTime }) => {
  read.lcpMs = startTime
})
observe('layout-shift', ({ value, hadRecentInput, sources }) => {
  if (!hadRecentInput) read.shifts.push({ value, sources: sources.map(nameOf) })
})
observe('event', ({ interactionId, duration, name, target }) => {
  if (!interactionId || duration <= (read.interactions[interactionId]?.ms ?? 0)) return
  read.interactions[interactionId] = { ms: duration, what: `${name} on ${textOf(target)}` }
})

function observe(type, take) {
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(take))
  observer.observe({ type, buffered: true, ...(type === 'event' && { durationThreshold: 16 }) })
}

function nameOf({ node, previousRect: from, currentRect: to }) {
  return `${textOf(node)} from ${from.y} to ${to.y}, ${from.height} to ${to.height} high`
}

function textOf(node) {
  const element = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement
  return element ? `${element.localName}.${element.className}` : 'nothing'
}

// from the input that made the page wait, to what it waited for
let inputMs
let isWaiting = false
for (const type of ['keydown', 'pointerdown']) {
  const begin = ({ timeStamp }) => {
    if (!isWaiting) inputMs = timeStamp
  }
  addEventListener(type, begin, true)
}
new MutationObserver(() => {
  const isStill = isWaiting
  isWaiting = document.querySelector(pending) !== null
  if (!isStill || isWaiting || inputMs === undefined) return
  notePaint(inputMs)
  inputMs = undefined
}).observe(document, {
  ...{ subtree: true, childList: true },
  attributeFilter: ['data-state', 'aria-busy'],
})

/** The next frame has the answer; what comes behind it has been painted. */
function notePaint(fromMs) {
  requestAnimationFrame(() =>
    setTimeout(() => {
      read.waitsMs.push(performance.now() - fromMs)
      read.rowsMax = Math.max(read.rowsMax, document.querySelectorAll('tr').length)
    }),
  )
}

function follow(isOver) {
  const lateMs = performance.now() + patienceMs
  return new Promise((resolve, reject) => {
    const look = () => {
      if (isOver()) resolve()
      else if (performance.now() > lateMs) reject(new Error(`still waited for: ${isOver}`))
      else setTimeout(look, 20)
    }
    look()
  })
}
