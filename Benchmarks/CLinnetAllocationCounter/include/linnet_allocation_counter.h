#ifndef LINNET_ALLOCATION_COUNTER_H
#define LINNET_ALLOCATION_COUNTER_H
/* Counts heap allocations of the whole process by taking the place of malloc and its kin. Off until it is started, so
 * that runs that measure time pay one predictable branch. */
void linnet_allocation_counter_start(void);
unsigned long linnet_allocation_count(void);
#endif
