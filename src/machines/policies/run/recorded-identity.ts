import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import type {Segment} from '../../../services/contracts/run.ts';

type RecordedIdentity = Pick<Segment, 'pid' | 'start_time' | 'boot_id' | 'pid_namespace'>;

export function recordedIdentity({pid, startTime, bootId, pidNamespace}: ProcessIdentity): RecordedIdentity {
  return {pid, start_time: startTime, boot_id: bootId, pid_namespace: pidNamespace};
}

export function identityOf(segment: RecordedIdentity): ProcessIdentity {
  return {
    pid: segment.pid,
    startTime: segment.start_time,
    bootId: segment.boot_id,
    pidNamespace: segment.pid_namespace,
  };
}
