/** Prints the damage of a file, giving way to the service (entry point of a process). */

import { constants, setPriority } from 'node:os'
import { findDamage } from '../stores/embedded/inspectStores.ts'

setPriority(constants.priority.PRIORITY_LOW)
process.stdout.write(findDamage(process.argv[2] ?? '') ?? '')
