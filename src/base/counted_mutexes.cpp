// Every lock of a mutex is counted where sanitizers look (spin_lock.h), the libraries' too: the linker has calls of these
// three come here (cmake/harn.cmake). A task that left its thread to others with a mutex locked would keep it from them,
// and from itself, since it goes on there only when they have left the thread.
#ifdef HARN_SANITIZED
#include <pthread.h>

#include "base/spin_lock.h"

extern "C" {

int __real_pthread_mutex_lock(pthread_mutex_t* mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t* mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t* mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  int error = __real_pthread_mutex_lock(mutex);
  if (error == 0) harn::count_lock(1);
  return error;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
  int error = __real_pthread_mutex_trylock(mutex);
  if (error == 0) harn::count_lock(1);
  return error;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  int error = __real_pthread_mutex_unlock(mutex);
  if (error == 0) harn::count_lock(-1);
  return error;
}
}
#endif
