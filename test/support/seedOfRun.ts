/**
 * What a model is played with: the seed that all properties draw from, and another one on each run where
 * `VIGIL_TEST_SEED` asks for that.
 */

import fc from 'fast-check'

export const seedOfRun = fc.readConfigureGlobal().seed ?? Math.floor(Math.random() * 2 ** 31)
